"""The words of the embedded corpus: one stock for training, one for the held-out part, no content word in common.

A pool is a tuple of things that can fill the same slot of a template. Verbs know their forms, nouns their plural,
people the pronoun that stands for them. Words that come in fixed pairs (*north* and *south*, *lend* and *borrow*) and
that a learner must have met stand in the templates, not here.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """A verb in the forms that the templates ask for, each with the words that belong after it.

    >>> verb("carry").past, verb("wait + outside").ing, verb("choose chose chosen choosing").part
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

    >>> noun("box").pl, noun("library").pl, str(noun("knife knives"))
    ('boxes', 'libraries', 'knife')
    """

    one: str
    pl: str

    def __str__(self) -> str:
        return self.one


@dataclass(frozen=True)
class Person:
    """Somebody, as a name or as *the baker*, and the pronoun for a named one.

    >>> str(Person("Anna", "she")), Person("Anna", "she").he
    ('Anna', 'she')
    """

    text: str
    he: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Two:
    """Two expressions of which the second turns the first round.

    >>> Two("taller", "shorter").two
    'shorter'
    """

    one: str
    two: str


@dataclass(frozen=True)
class Act:
    """A verb with the noun made from it, or with two particles that it takes.

    >>> deed = Act(verb("reject"), "rejection")
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


def verb(text: str) -> Verb:
    """A regular verb from its base, an irregular one from base, past, participle and -ing form; ``+`` opens a tail.

    >>> verb("hiss").s, verb("wake woke woken waking + up").past
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
        elif _consonant_y(base):
            past, ing = base[:-1] + "ied", base + "ing"
        else:
            past, ing = base + "ed", base + "ing"
        part = past
    return Verb(base + tail, past + tail, part + tail, ing + tail, _add_s(base) + tail)


def noun(text: str) -> Noun:
    """A noun with a regular plural, or with the plural given after a blank.

    >>> noun("secretary")
    Noun(one='secretary', pl='secretaries')
    """
    one, _, pl = text.partition(" ")
    return Noun(one, pl or _add_s(one))


def _consonant_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in "aeiou"


def _add_s(word: str) -> str:
    if _consonant_y(word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _list(text: str) -> tuple[str, ...]:
    return tuple(piece.strip() for piece in text.split(","))


def _verbs(text: str) -> tuple[Verb, ...]:
    return tuple(verb(piece) for piece in _list(text))


def _nouns(text: str) -> tuple[Noun, ...]:
    return tuple(noun(piece) for piece in _list(text))


def _twos(text: str) -> tuple[Two, ...]:
    return tuple(Two(*piece.split("/")) for piece in _list(text))


def _acts(text: str) -> tuple[Act, ...]:
    rows = (piece.split("/") for piece in _list(text))
    return tuple(Act(verb(row[0]), *row[1:]) for row in rows)


@dataclass(frozen=True)
class Words:
    """All pools of one part of the corpus.

    >>> set(TRAIN.she) & set(TEST.she)
    set()
    """

    she: tuple[str, ...]
    he: tuple[str, ...]
    role: tuple[Noun, ...]  # people by their work
    boss: tuple[str, ...]  # somebody's ..., never both ways round
    kin: tuple[Noun, ...]
    bond: tuple[Two, ...]  # A is B's one: B is A's two
    act: tuple[Verb, ...]  # what one person does to another, and not thereby the other to the first
    feel: tuple[Verb, ...]  # what one person feels for another
    move: tuple[Verb, ...]  # what a person does alone
    fact: tuple[tuple[str, Verb], ...]  # what happens by itself
    give: tuple[Verb, ...]  # give somebody something, give something to somebody
    fetch: tuple[Verb, ...]  # fetch somebody something, fetch something for somebody
    handle: tuple[Verb, ...]  # what people do to things
    have: tuple[Verb, ...]  # to come to have something
    deed: tuple[Act, ...]  # a verb and its noun
    particle: tuple[Act, ...]  # a verb and two particles
    change: tuple[Verb, ...]  # what one does to a stuff, and what the stuff then does
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
    later: tuple[str, ...]  # when it will
    aside: tuple[str, ...]  # what a speaker puts before any statement


TRAIN = Words(
    she=_list(
        "Anna, Maria, Clara, Helen, Julia, Nadia, Petra, Sofia, Tessa, Vera, Ingrid, Leila, Amira, Yuki, Priya, Elena,"
        "Fatima, Greta, Hanna, Irene"
    ),
    he=_list(
        "Ben, Carlo, David, Erik, Felix, George, Hugo, Ivan, Jonas, Karim, Lukas, Martin, Omar, Pablo, Rashid, Samuel,"
        "Tomas, Viktor, Walter, Kenji"
    ),
    role=_nouns("doctor, gardener, baker, painter, pilot, farmer, singer, tailor, sailor, clerk, architect, reporter"),
    boss=_list("boss, teacher, tutor, secretary, editor, agent"),
    kin=_nouns("sister, brother, cousin, daughter, uncle, partner"),
    bond=_twos("teacher/pupil, employer/employee, landlord/tenant, parent/child, mentor/apprentice"),
    act=_verbs(
        "praise, help, thank, invite, warn, blame, visit, follow, hire, ignore, interview, rescue, defend, scold,"
        "congratulate, photograph, reward, consult, tease, encourage, greet, choose chose chosen choosing,"
        "find found found finding, mock, imitate, call, replace, amuse"
    ),
    feel=_verbs("admire, trust, respect, love, envy, fear, miss, like, doubt, dislike"),
    move=_verbs(
        "laugh, arrive, smile, resign, apologise, agree, cheer, look + up, calm + down, sneeze, hesitate, jump,"
        "shout, knock, relax, complain, leave left left leaving, cry, win won won winning, wait"
    ),
    fact=(
        ("the dog", verb("bark")),
        ("the baby", verb("wake woke woken waking + up")),
        ("the crowd", verb("go went gone going + quiet")),
        ("the horse", verb("run ran run running + off")),
        ("the music", verb("stop stopped stopped stopping")),
        ("the alarm", verb("ring rang rung ringing")),
    ),
    give=_verbs("give gave given giving, send sent sent sending, hand, show, offer, post, pass"),
    fetch=_verbs("buy bought bought buying, fetch, order, find found found finding"),
    handle=_verbs("move, hide hid hidden hiding, return, pack, check, keep kept kept keeping"),
    have=_verbs("buy bought bought buying, find found found finding, order, count, lose lost lost losing"),
    deed=_acts(
        "reject/rejection, appoint/appointment, recommend/recommendation, promote/promotion, replace/replacement,"
        "arrest/arrest, invite/invitation"
    ),
    particle=_acts("carry/in/out, carry/up/down, hand/over/back, put put put putting/away/back"),
    change=_verbs("cool, warm, boil, thicken, simmer"),
    stuff=_list("soup, sauce, syrup, broth, milk, porridge"),
    thing=_nouns(
        "book, letter, lamp, key, map, coat, ladder, violin, camera, basket, hammer, ticket, painting, atlas, envelope"
    ),
    place=_list("shop, museum, bank, bakery, office, café"),
    town=_list("Norwick, Harrowby, Elmstead, Tarnvale, Brackwell, Oldmere, Westhollow, Kirrin"),
    event=_list("concert, dinner, speech, parade, wedding, lesson, exam, election"),
    trouble=_list("strike, fire, delay, shortage, accident, argument, power cut, scandal"),
    skill=_list("chess, French, algebra, judo, sailing, carpentry"),
    taste=_list("football, jazz, swimming, poetry, cycling, dancing"),
    trait=_list("careful, patient, generous, ambitious, popular, talkative, reliable, famous, honest, curious"),
    state=_list("tired, busy, shy, angry, ill, scared"),
    able=_list("quick, alert, confident, calm"),
    manner=_list("wise, brave, right, rash"),
    degree=_twos("taller/shorter, older/younger, heavier/lighter, faster/slower, richer/poorer"),
    group=_list("the village, the council, the whole family, the press"),
    number=_list("three, four, seven, nine, fifteen, thirty"),
    device=_list("radio, heater, fan, printer"),
    site=_list("church, tower, barn, windmill, fountain, chapel, stable, bakery"),
    when=_list("yesterday, on Monday, last week, in the spring, two days ago, at noon"),
    where=_list("at the station, in the garden, during the trip, in the park, on the bus, outside the church"),
    later=_list("tomorrow, next week, on Tuesday, in the summer"),
    aside=_list("in fact, of course, as far as I know, it turns out that, people say that, to my surprise"),
)

TEST = Words(
    she=_list(
        "Astrid, Bianca, Camille, Daria, Esther, Flora, Gloria, Ida, Jasmin, Katya, Lucia, Mina, Nora, Olga, Paula,"
        "Selma, Thea, Zoe, Wanda, Ruth"
    ),
    he=_list(
        "Adam, Boris, Cyril, Dmitri, Emil, Franz, Gustav, Henrik, Igor, Jamal, Kofi, Leon, Milo, Nils, Otto, Pedro,"
        "Ravi, Stefan, Tariq, Yusuf"
    ),
    role=_nouns(
        "nurse, plumber, dentist, carpenter, poet, barber, chemist, drummer, waiter, librarian, engineer, judge"
    ),
    boss=_list("coach, sponsor, lawyer, driver, assistant, publisher"),
    kin=_nouns("aunt, nephew, niece, son, grandmother, colleague"),
    bond=_twos("lawyer/client, host/guest, grandparent/grandchild, trainer/trainee, creditor/debtor"),
    act=_verbs(
        "assist, coach, comfort, escort, chase, contact, criticise, guide, question, train, welcome, support, phone,"
        "reassure, entertain, compliment, supervise, forgive forgave forgiven forgiving, pay paid paid paying,"
        "persuade, applaud, notify, lead led led leading"
    ),
    feel=_verbs("appreciate, pity, resent, distrust, need, recognise, adore"),
    move=_verbs(
        "yawn, nod nodded nodded nodding, whistle, retire, object, stumble, pause, giggle, faint,"
        "speak spoke spoken speaking + up, listen, cough, protest, rest, whisper, bow,"
        "kneel knelt knelt kneeling + down, sing sang sung singing, wave, sigh"
    ),
    fact=(
        ("the cat", verb("hiss")),
        ("the audience", verb("clap clapped clapped clapping")),
        ("the parrot", verb("squawk")),
        ("the choir", verb("fall fell fallen falling + silent")),
        ("the band", verb("begin began begun beginning")),
        ("the siren", verb("sound")),
    ),
    give=_verbs("mail, toss, bring brought brought bringing, loan, slip slipped slipped slipping"),
    fetch=_verbs("get got got getting, save, rent"),
    handle=_verbs("cover, wrap wrapped wrapped wrapping, store, remove, collect, inspect, unpack"),
    have=_verbs("receive, collect, discover, notice"),
    deed=_acts(
        "nominate/nomination, select/selection, punish/punishment, endorse/endorsement, dismiss/dismissal,"
        "examine/examination, evaluate/evaluation"
    ),
    particle=_acts(
        "take took taken taking/in/out, lift/up/down, take took taken taking/away/back,"
        "drag dragged dragged dragging/in/out"
    ),
    change=_verbs("harden, soften, crack, burn, dry"),
    stuff=_list("clay, dough, crust, plaster, wax, paste"),
    thing=_nouns(
        "parcel, bottle, mirror, guitar, blanket, umbrella, kettle, notebook, sweater, pencil, suitcase, accordion,"
        "statue, album"
    ),
    place=_list("library, theatre, pharmacy, market, gallery, gym"),
    town=_list("Dunbrook, Ashcombe, Millhaven, Larkfield, Stonebury, Fernley, Redcliff, Wexmoor"),
    event=_list("picnic, lecture, match, ceremony, festival, debate, rehearsal, auction"),
    trouble=_list("crash, protest, leak, misunderstanding, evacuation, injury, crisis, traffic jam"),
    skill=_list("Spanish, geometry, karate, pottery, skiing, bridge"),
    taste=_list("tennis, opera, hiking, drama, knitting, fishing"),
    trait=_list("cautious, modest, creative, sensible, graceful, influential, stubborn, punctual, energetic, thorough"),
    state=_list("nervous, sleepy, proud, upset, weak, worried, lazy"),
    able=_list("smart, bold, determined, fearless"),
    manner=_list("clever, bold, careless, wrong"),
    degree=_twos("stronger/weaker, louder/quieter, happier/sadder, neater/messier"),
    group=_list("the school, the committee, the entire town, the board"),
    number=_list("five, eight, eleven, sixteen, forty"),
    device=_list("television, projector, dishwasher, torch"),
    site=_list("castle, lighthouse, cottage, greenhouse, temple, factory, inn, observatory"),
    when=_list("this morning, on Friday, last month, in the autumn, five hours ago, at midnight"),
    where=_list("at the airport, in the kitchen, during the break, in the street, on the ferry, outside the hotel"),
    later=_list("tonight, next month, on Sunday, in the winter"),
    aside=_list("indeed, to be fair, as you can see, it is clear that, they tell me that, as it happens"),
)
