"""The words of the embedded corpus: one set for training and one for the held-out part, without common content words.

A pool is a tuple of words that can fill the same slot of a template. Verbs have their forms, nouns their plural, and
people their pronoun. Words in fixed pairs (*north* and *south*, *lend* and *borrow*) are in the templates, because a
model cannot know them unless they occur in training.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """A verb in the forms that the templates use, each with the words that follow it.

    >>> make_verb("carry").past, make_verb("wait + outside").ing, make_verb("choose chose chosen choosing").part
    ('carried', 'waiting outside', 'chosen')
    """

    base: str
    past: str
    part: str
    ing: str
    s: str

    def __str__(self) -> str:
        return self.base


@dataclass(frozen=True)
class Noun:
    """A countable noun.

    >>> make_noun("box").pl, make_noun("library").pl, str(make_noun("knife knives"))
    ('boxes', 'libraries', 'knife')
    """

    one: str
    pl: str

    def __str__(self) -> str:
        return self.one


@dataclass(frozen=True)
class Person:
    """A person: a name with a pronoun, or an occupation such as *the baker*.

    >>> str(Person("Anna", "she")), Person("Anna", "she").he
    ('Anna', 'she')
    """

    text: str
    he: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Two:
    """Two expressions with opposite meanings.

    >>> Two("taller", "shorter").two
    'shorter'
    """

    one: str
    two: str


@dataclass(frozen=True)
class Act:
    """A verb with the noun made from it, or with two particles that it takes.

    >>> deed = Act(make_verb("reject"), "rejection")
    >>> deed.past, deed.one
    ('rejected', 'rejection')
    """

    verb: Verb
    one: str
    two: str = ""

    def __str__(self) -> str:
        return self.verb.base

    @property
    def base(self) -> str:
        return self.verb.base

    @property
    def past(self) -> str:
        return self.verb.past

    @property
    def part(self) -> str:
        return self.verb.part

    @property
    def ing(self) -> str:
        return self.verb.ing


def make_verb(text: str) -> Verb:
    """Make a regular verb from its base, an irregular one from base, past, participle and -ing form.

    Words after ``+`` follow the verb in every form.

    >>> make_verb("hiss").s, make_verb("wake woke woken waking + up").past
    ('hisses', 'woke up')
    """
    forms, _, tail = (piece.strip() for piece in text.partition("+"))
    tail = " " + tail if tail else ""
    if " " in forms:
        base, past, part, ing = forms.split()
    else:
        base = forms
        if base.endswith("e"):
            past, ing = base + "d", base[:-1] + "ing"
        elif _ends_in_consonant_y(base):
            past, ing = base[:-1] + "ied", base + "ing"
        else:
            past, ing = base + "ed", base + "ing"
        part = past
    return Verb(base + tail, past + tail, part + tail, ing + tail, _add_s(base) + tail)


def make_noun(text: str) -> Noun:
    """Make a noun with a regular plural, or with the plural given after a blank.

    >>> make_noun("secretary")
    Noun(one='secretary', pl='secretaries')
    """
    one, _, pl = text.partition(" ")
    return Noun(one, pl or _add_s(one))


def _ends_in_consonant_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in "aeiou"


def _add_s(word: str) -> str:
    if _ends_in_consonant_y(word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _split_list(text: str) -> tuple[str, ...]:
    return tuple(piece.strip() for piece in text.split(","))


def _make_verbs(text: str) -> tuple[Verb, ...]:
    return tuple(make_verb(piece) for piece in _split_list(text))


def _make_nouns(text: str) -> tuple[Noun, ...]:
    return tuple(make_noun(piece) for piece in _split_list(text))


def _make_twos(text: str) -> tuple[Two, ...]:
    return tuple(Two(*piece.split("/")) for piece in _split_list(text))


def _make_acts(text: str) -> tuple[Act, ...]:
    rows = (piece.split("/") for piece in _split_list(text))
    return tuple(Act(make_verb(row[0]), *row[1:]) for row in rows)


@dataclass(frozen=True)
class Words:
    """All pools of one part of the corpus.

    >>> set(TRAIN.she) & set(TEST.she)
    set()
    """

    she: tuple[str, ...]
    he: tuple[str, ...]
    role: tuple[Noun, ...]  # people by their work
    boss: tuple[str, ...]  # a relation that holds in one direction only: A is B's ...
    kin: tuple[Noun, ...]
    bond: tuple[Two, ...]  # if A is B's one, then B is A's two
    act: tuple[Verb, ...]  # what one person does to another, in one direction only
    feel: tuple[Verb, ...]  # what one person feels for another
    move: tuple[Verb, ...]  # what a person does alone
    fact: tuple[tuple[str, Verb], ...]  # what happens by itself
    give: tuple[Verb, ...]  # give somebody something, give something to somebody
    fetch: tuple[Verb, ...]  # fetch somebody something, fetch something for somebody
    handle: tuple[Verb, ...]  # what people do to things
    have: tuple[Verb, ...]  # what people do with a number of things
    deed: tuple[Act, ...]  # a verb and its noun
    particle: tuple[Act, ...]  # a verb and two particles
    change: tuple[Verb, ...]  # what a person does to a material, and what the material then does
    stuff: tuple[str, ...]
    thing: tuple[Noun, ...]
    device: tuple[str, ...]
    site: tuple[str, ...]
    place: tuple[str, ...]
    town: tuple[str, ...]
    event: tuple[str, ...]
    trouble: tuple[str, ...]
    skill: tuple[str, ...]
    taste: tuple[str, ...]
    trait: tuple[str, ...]  # more ..., less ...
    state: tuple[str, ...]  # too ... to do it
    able: tuple[str, ...]  # ... enough to do it
    manner: tuple[str, ...]  # it is ... of somebody to do it
    degree: tuple[Two, ...]  # the comparatives of two opposite adjectives
    group: tuple[str, ...]
    number: tuple[str, ...]
    when: tuple[str, ...]  # when or where something happened
    where: tuple[str, ...]
    later: tuple[str, ...]  # when something will happen
    aside: tuple[str, ...]  # phrases that can precede any statement


TRAIN = Words(
    she=_split_list(
        "Anna, Maria, Clara, Helen, Julia, Nadia, Petra, Sofia, Tessa, Vera, Ingrid, Leila, Amira, Yuki, Priya, Elena,"
        "Fatima, Greta, Hanna, Irene"
    ),
    he=_split_list(
        "Ben, Carlo, David, Erik, Felix, George, Hugo, Ivan, Jonas, Karim, Lukas, Martin, Omar, Pablo, Rashid, Samuel,"
        "Tomas, Viktor, Walter, Kenji"
    ),
    role=_make_nouns(
        "doctor, gardener, baker, painter, pilot, farmer, singer, tailor, sailor, clerk, architect, reporter"
    ),
    boss=_split_list("boss, teacher, tutor, secretary, editor, agent"),
    kin=_make_nouns("sister, brother, cousin, daughter, uncle, partner"),
    bond=_make_twos("teacher/pupil, employer/employee, landlord/tenant, parent/child, mentor/apprentice"),
    act=_make_verbs(
        "praise, help, thank, invite, warn, blame, visit, follow, hire, ignore, interview, rescue, defend, scold,"
        "congratulate, photograph, reward, consult, tease, encourage, greet, choose chose chosen choosing,"
        "find found found finding, mock, imitate, call, replace, amuse"
    ),
    feel=_make_verbs("admire, trust, respect, love, envy, fear, miss, like, doubt, dislike"),
    move=_make_verbs(
        "laugh, arrive, smile, resign, apologise, agree, cheer, look + up, calm + down, sneeze, hesitate, jump,"
        "shout, knock, relax, complain, leave left left leaving, cry, win won won winning, wait"
    ),
    fact=(
        ("the dog", make_verb("bark")),
        ("the baby", make_verb("wake woke woken waking + up")),
        ("the crowd", make_verb("go went gone going + quiet")),
        ("the horse", make_verb("run ran run running + off")),
        ("the music", make_verb("stop stopped stopped stopping")),
        ("the alarm", make_verb("ring rang rung ringing")),
    ),
    give=_make_verbs("give gave given giving, send sent sent sending, hand, show, offer, post, pass"),
    fetch=_make_verbs("buy bought bought buying, fetch, order, find found found finding"),
    handle=_make_verbs("move, hide hid hidden hiding, return, pack, check, keep kept kept keeping"),
    have=_make_verbs("buy bought bought buying, find found found finding, order, count, lose lost lost losing"),
    deed=_make_acts(
        "reject/rejection, appoint/appointment, recommend/recommendation, promote/promotion, replace/replacement,"
        "arrest/arrest, invite/invitation"
    ),
    particle=_make_acts("carry/in/out, carry/up/down, hand/over/back, put put put putting/away/back"),
    change=_make_verbs("cool, warm, boil, thicken, simmer"),
    stuff=_split_list("soup, sauce, syrup, broth, milk, porridge"),
    thing=_make_nouns(
        "book, letter, lamp, key, map, coat, ladder, violin, camera, basket, hammer, ticket, painting, atlas, envelope"
    ),
    place=_split_list("shop, museum, bank, bakery, office, café"),
    town=_split_list("Norwick, Harrowby, Elmstead, Tarnvale, Brackwell, Oldmere, Westhollow, Kirrin"),
    event=_split_list("concert, dinner, speech, parade, wedding, lesson, exam, election"),
    trouble=_split_list("strike, fire, delay, shortage, accident, argument, power cut, scandal"),
    skill=_split_list("chess, French, algebra, judo, sailing, carpentry"),
    taste=_split_list("football, jazz, swimming, poetry, cycling, dancing"),
    trait=_split_list("careful, patient, generous, ambitious, popular, talkative, reliable, famous, honest, curious"),
    state=_split_list("tired, busy, shy, angry, ill, scared"),
    able=_split_list("quick, alert, confident, calm"),
    manner=_split_list("wise, brave, right, rash"),
    degree=_make_twos("taller/shorter, older/younger, heavier/lighter, faster/slower, richer/poorer"),
    group=_split_list("the village, the council, the whole family, the press"),
    number=_split_list("three, four, seven, nine, fifteen, thirty"),
    device=_split_list("radio, heater, fan, printer"),
    site=_split_list("church, tower, barn, windmill, fountain, chapel, stable, bakery"),
    when=_split_list("yesterday, on Monday, last week, in the spring, two days ago, at noon"),
    where=_split_list("at the station, in the garden, during the trip, in the park, on the bus, outside the church"),
    later=_split_list("tomorrow, next week, on Tuesday, in the summer"),
    aside=_split_list("in fact, of course, as far as I know, it turns out that, people say that, to my surprise"),
)

TEST = Words(
    she=_split_list(
        "Astrid, Bianca, Camille, Daria, Esther, Flora, Gloria, Ida, Jasmin, Katya, Lucia, Mina, Nora, Olga, Paula,"
        "Selma, Thea, Zoe, Wanda, Ruth"
    ),
    he=_split_list(
        "Adam, Boris, Cyril, Dmitri, Emil, Franz, Gustav, Henrik, Igor, Jamal, Kofi, Leon, Milo, Nils, Otto, Pedro,"
        "Ravi, Stefan, Tariq, Yusuf"
    ),
    role=_make_nouns(
        "nurse, plumber, dentist, carpenter, poet, barber, chemist, drummer, waiter, librarian, engineer, judge"
    ),
    boss=_split_list("coach, sponsor, lawyer, driver, assistant, publisher"),
    kin=_make_nouns("aunt, nephew, niece, son, grandmother, colleague"),
    bond=_make_twos("lawyer/client, host/guest, grandparent/grandchild, trainer/trainee, creditor/debtor"),
    act=_make_verbs(
        "assist, coach, comfort, escort, chase, contact, criticise, guide, question, train, welcome, support, phone,"
        "reassure, entertain, compliment, supervise, forgive forgave forgiven forgiving, pay paid paid paying,"
        "persuade, applaud, notify, lead led led leading"
    ),
    feel=_make_verbs("appreciate, pity, resent, distrust, need, recognise, adore"),
    move=_make_verbs(
        "yawn, nod nodded nodded nodding, whistle, retire, object, stumble, pause, giggle, faint,"
        "speak spoke spoken speaking + up, listen, cough, protest, rest, whisper, bow,"
        "kneel knelt knelt kneeling + down, sing sang sung singing, wave, sigh"
    ),
    fact=(
        ("the cat", make_verb("hiss")),
        ("the audience", make_verb("clap clapped clapped clapping")),
        ("the parrot", make_verb("squawk")),
        ("the choir", make_verb("fall fell fallen falling + silent")),
        ("the band", make_verb("begin began begun beginning")),
        ("the siren", make_verb("sound")),
    ),
    give=_make_verbs("mail, toss, bring brought brought bringing, loan, slip slipped slipped slipping"),
    fetch=_make_verbs("get got got getting, save, rent"),
    handle=_make_verbs("cover, wrap wrapped wrapped wrapping, store, remove, collect, inspect, unpack"),
    have=_make_verbs("receive, collect, discover, notice"),
    deed=_make_acts(
        "nominate/nomination, select/selection, punish/punishment, endorse/endorsement, dismiss/dismissal,"
        "examine/examination, evaluate/evaluation"
    ),
    particle=_make_acts(
        "take took taken taking/in/out, lift/up/down, take took taken taking/away/back,"
        "drag dragged dragged dragging/in/out"
    ),
    change=_make_verbs("harden, soften, crack, burn, dry"),
    stuff=_split_list("clay, dough, crust, plaster, wax, paste"),
    thing=_make_nouns(
        "parcel, bottle, mirror, guitar, blanket, umbrella, kettle, notebook, sweater, pencil, suitcase, accordion,"
        "statue, album"
    ),
    place=_split_list("library, theatre, pharmacy, market, gallery, gym"),
    town=_split_list("Dunbrook, Ashcombe, Millhaven, Larkfield, Stonebury, Fernley, Redcliff, Wexmoor"),
    event=_split_list("picnic, lecture, match, ceremony, festival, debate, rehearsal, auction"),
    trouble=_split_list("crash, protest, leak, misunderstanding, evacuation, injury, crisis, traffic jam"),
    skill=_split_list("Spanish, geometry, karate, pottery, skiing, bridge"),
    taste=_split_list("tennis, opera, hiking, drama, knitting, fishing"),
    trait=_split_list(
        "cautious, modest, creative, sensible, graceful, influential, stubborn, punctual, energetic, thorough"
    ),
    state=_split_list("nervous, sleepy, proud, upset, weak, worried, lazy"),
    able=_split_list("smart, bold, determined, fearless"),
    manner=_split_list("clever, bold, careless, wrong"),
    degree=_make_twos("stronger/weaker, louder/quieter, happier/sadder, neater/messier"),
    group=_split_list("the school, the committee, the entire town, the board"),
    number=_split_list("five, eight, eleven, sixteen, forty"),
    device=_split_list("television, projector, dishwasher, torch"),
    site=_split_list("castle, lighthouse, cottage, greenhouse, temple, factory, inn, observatory"),
    when=_split_list("this morning, on Friday, last month, in the autumn, five hours ago, at midnight"),
    where=_split_list(
        "at the airport, in the kitchen, during the break, in the street, on the ferry, outside the hotel"
    ),
    later=_split_list("tonight, next month, on Sunday, in the winter"),
    aside=_split_list("indeed, to be fair, as you can see, it is clear that, they tell me that, as it happens"),
)
