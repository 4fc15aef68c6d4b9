"""The re-writings of the embedded corpus, each as a few pairs of sentences with slots.

One template stands for four pairs. Read ``[x|y]`` as *x* in the first version of a sentence and *y* in the second; ``swap`` names the
slots that change places in the second version. Source and target of the same version say the same; of different
versions they do not. So every source and every target is as often in a pair that holds as in one that does not,
and nothing that looks at one side at a time, or at the two bags of words, can tell which.

Slots: ``A B C`` people by name or work, ``K L`` people by name, ``P Q`` people by name of one gender; every other slot is a pool of
``rewrites_words.Words``, with a digit where a sentence needs another one of the same pool, and ``clause`` is somebody or something
with a verb of its own (``then``, ``s``, ``will``, ``does_not``).
"""

from typing import NamedTuple


class Template(NamedTuple):
    """Two sentences that say the same, the slots to swap, the adjuncts they bear, and whether training may use it."""

    source: str
    target: str
    swap: str = ""
    adjunct: str = ""  # then, later: before or after the sentence; aside, before: before it only
    unseen: bool = False


def _unseen(source: str, target: str, swap: str = "", adjunct: str = "") -> Template:
    return Template(source, target, swap, adjunct, unseen=True)


_T = Template

REWRITINGS: dict[str, tuple[Template, ...]] = {
    "active/passive": (
        _T("{A} {act.past} {B}", "{B} was {act.part} by {A}", "A B", "then"),
        _T("{B} was {act.part} by {A}", "{A} {act.past} {B}", "A B", "then"),
        _T("{A} has {act.part} {B}", "{B} has been {act.part} by {A}", "A B", "aside"),
        _T("{A} will {act.base} {B}", "{B} will be {act.part} by {A}", "A B", "later"),
        _unseen("{A} is {act.ing} {B}", "{B} is being {act.part} by {A}", "A B", "aside"),
        _unseen("{A} must have {act.part} {B}", "{B} must have been {act.part} by {A}", "A B", "then"),
    ),
    "dative shift": (
        _T("{A} {give.past} {B} the {thing}", "{A} {give.past} the {thing} to {B}", "A B", "then"),
        _T("{A} {give.past} the {thing} to {B}", "{A} {give.past} {B} the {thing}", "A B", "then"),
        _T("{A} will {give.base} {B} a {thing}", "{A} will {give.base} a {thing} to {B}", "A B", "later"),
        _T("{A} {fetch.past} {B} a {thing}", "{A} {fetch.past} a {thing} for {B}", "A B", "then"),
        _unseen("{A} has {give.part} {B} the {thing}", "{A} has {give.part} the {thing} to {B}", "A B", "aside"),
    ),
    "nominalisation": (
        _T("It surprised {group} that {A} {deed.past} {B}", "{A}'s {deed.one} of {B} surprised {group}", "A B"),
        _T("{A}'s {deed.one} of {B} pleased {group}", "{group} liked the fact that {A} {deed.past} {B}", "A B"),
        _T("The {deed.one} of {B} by {A} was a mistake", "It was a mistake that {A} {deed.past} {B}", "A B", "aside"),
        _T("{A} announced that {B} was {deed.part}", "{A} announced the {deed.one} of {B}", "A B", "then"),
        _T("{A} decided [to|not to] {act.base} {B}", "{A}'s decision was [to|not to] {act.base} {B}", "", "aside"),
        _unseen("{group} knew that {A} {deed.past} {B}", "{group} knew about {A}'s {deed.one} of {B}", "A B"),
    ),
    "cause and clause order": (
        _T("{clause.then} because {clause2.then}", "Because {clause2.then}, {clause.then}", "clause clause2"),
        _T("Because {clause2.then}, {clause.then}", "{clause.then} because {clause2.then}", "clause clause2"),
        _T("{clause.then}, so {clause2.then}", "{clause2.then} because {clause.then}", "clause clause2", "before"),
        _T("{clause2.then} because {clause.then}", "{clause.then}, so {clause2.then}", "clause clause2", "before"),
        _T("{clause.will} if {clause2.s}", "If {clause2.s}, {clause.will}", "clause clause2"),
        _unseen("The reason that {clause.then} was that {clause2.then}", "{clause.then} because {clause2.then}", "clause clause2"),
        _unseen("Since {clause2.then}, {clause.then}", "{clause.then} since {clause2.then}", "clause clause2"),
    ),
    "before/after": (
        _T("{clause.then} before {clause2.then}", "{clause2.then} after {clause.then}", "clause clause2", "before"),
        _T("{clause2.then} after {clause.then}", "{clause.then} before {clause2.then}", "clause clause2", "before"),
        _T("After {clause2.then}, {clause.then}", "{clause.then} after {clause2.then}", "clause clause2"),
        _T("{clause.then} before {clause2.then}", "Before {clause2.then}, {clause.then}", "clause clause2"),
        _T("First {clause.then}, and then {clause2.then}", "{clause2.then} after {clause.then}", "clause clause2"),
        _unseen("First {clause.then}, and then {clause2.then}", "{clause.then} before {clause2.then}", "clause clause2"),
    ),
    "unless/if not": (
        _T("{clause.will} unless {clause2.s}", "If {clause2.does_not}, {clause.will}", "clause clause2"),
        _T("Unless {clause2.s}, {clause.will}", "{clause.will} if {clause2.does_not}", "clause clause2"),
        _T("Unless {clause2.s}, {clause.will}", "{clause.will} unless {clause2.s}", "clause clause2"),
        _T("{clause.will} [unless|if] {clause2.s}", "If {clause2.[does_not|s]}, {clause.will}"),
        _unseen("{clause.will} unless {clause2.s}", "Unless {clause2.s}, {clause.will}", "clause clause2"),
    ),
    "relative clause": (
        _T("{A} {act.past} {B}, who {move.past}", "{B}, whom {A} {act.past}, {move.past}", "A B", "before"),
        _T("{A}, who {act.past} {B}, {move.past}", "{A} {act.past} {B} and {move.past}", "A B", "before"),
        _T("{B}, whom {A} {act.past}, {move.past}", "{A} {act.past} {B}, and {B} {move.past}", "A B", "before"),
        _T("{A} is the person who {act.past} {B}", "{B} was {act.part} by {A}", "A B", "aside"),
        _T("{B} is the person whom {A} {act.past}", "{A} {act.past} {B}", "A B", "aside"),
        _unseen("{A} is someone who {act.past} {B}", "{A} {act.past} {B}", "A B", "aside"),
        _unseen("{B}, who was {act.part} by {A}, {move.past}", "{A} {act.past} {B}, who {move.past}", "A B", "before"),
    ),
    "opposite comparatives": (
        _T("{A} is {degree.one} than {B}", "{B} is {degree.two} than {A}", "A B", "aside"),
        _T("{A} is {degree.two} than {B}", "{B} is {degree.one} than {A}", "A B", "aside"),
        _T("{A} was much {degree.one} than {B}", "{B} was much {degree.two} than {A}", "A B", "before"),
        _T("{A} is [{degree.one}|{degree.two}] than {B}", "{B} is [{degree.two}|{degree.one}] than {A}", "", "aside"),
        _unseen("{A} seems {degree.one} than {B}", "{B} seems {degree.two} than {A}", "A B", "aside"),
    ),
    "more/less": (
        _T("{A} is more {trait} than {B}", "{B} is less {trait} than {A}", "A B", "aside"),
        _T("{A} is less {trait} than {B}", "{B} is more {trait} than {A}", "A B", "aside"),
        _T("{A} is not as {trait} as {B}", "{B} is more {trait} than {A}", "A B", "aside"),
        _T("{A} {move.past} more often than {B}", "{B} {move.past} less often than {A}", "A B", "before"),
        _unseen("{A} was more {trait} than {B}", "{B} was not as {trait} as {A}", "A B", "before"),
    ),
    "twice/half": (
        _T("{A} has twice as many {thing.pl} as {B}", "{B} has half as many {thing.pl} as {A}", "A B", "aside"),
        _T("{A} has half as many {thing.pl} as {B}", "{B} has twice as many {thing.pl} as {A}", "A B", "aside"),
        _T("{A} {have.past} more {thing.pl} than {B}", "{B} {have.past} fewer {thing.pl} than {A}", "A B", "then"),
        _T("{A} spent twice as much as {B}", "{B} spent half as much as {A}", "A B", "then"),
        _unseen("{A} earned half as much as {B}", "{B} earned twice as much as {A}", "A B", "then"),
    ),
    "numbers": (
        _T("{A} {have.past} [a dozen|half a dozen] {thing.pl}", "{A} {have.past} [twelve|six] {thing.pl}", "", "then"),
        _T("[At least|At most] {number} {role.pl} {move.past}", "{number} {role.pl} or [more|fewer] {move.past}", "", "before"),
        _T("[More|Less] than half of the {role.pl} {move.past}", "[The majority|A minority] of the {role.pl} {move.past}", "", "before"),
        _T(
            "{A} {have.past} {number} {thing.pl} and {number2} {thing2.pl}",
            "{A} {have.past} {number2} {thing2.pl} and {number} {thing.pl}",
            "number number2",
            "then",
        ),
        _T("{A} waited for a [decade|century]", "{A} waited for [ten|a hundred] years", "", "aside"),
        _unseen("[No fewer|No more] than {number} {role.pl} {move.past}", "[At least|At most] {number} {role.pl} {move.past}", "", "before"),
    ),
    "reported speech": (
        _T('"I {feel.base} {Q}," said {P}', "{P} said that {P.he} {feel.past} {Q}", "P Q"),
        _T("{P} said that {P.he} {feel.past} {Q}", '{P} said, "I {feel.base} {Q}"', "P Q"),
        _T('{P} said, "I will {act.base} {Q}"', "{P} said that {P.he} would {act.base} {Q}", "P Q"),
        _T("{A} told {B} to {handle.base} the {thing}", '"{handle.base} the {thing}, {B}," said {A}', "A B"),
        _T("According to {A}, {B} {move.past}", "{A} said that {B} {move.past}", "A B", "before"),
        _unseen('"I have {act.part} {Q}," said {P}', "{P} said that {P.he} had {act.part} {Q}", "P Q"),
    ),
    "buy/sell, lend/borrow": (
        _T("{A} sold {B} the {thing}", "{B} bought the {thing} from {A}", "A B", "then"),
        _T("{A} bought the {thing} from {B}", "{B} sold the {thing} to {A}", "A B", "then"),
        _T("{A} lent the {thing} to {B}", "{B} borrowed the {thing} from {A}", "A B", "then"),
        _T("{A} borrowed a {thing} from {B}", "{B} lent {A} a {thing}", "A B", "then"),
        _T("{A} taught {B} {skill}", "{B} learned {skill} from {A}", "A B", "then"),
        _unseen("The {thing} was sold to {B} by {A}", "{B} bought the {thing} from {A}", "A B", "then"),
    ),
    "two sides of a relation": (
        _T("{K} is {L}'s {bond.one}", "{L} is {K}'s {bond.two}", "K L", "aside"),
        _T("{K} is the {bond.two} of {L}", "{L} is the {bond.one} of {K}", "K L", "aside"),
        _T("{A} works for {B}", "{B} employs {A}", "A B", "aside"),
        _T("{A} defeated {B}", "{B} lost to {A}", "A B", "then"),
        _T(
            "{A} owns the {thing}, and {B} owns the {thing2}",
            "The {thing} belongs to {A}, and the {thing2} belongs to {B}",
            "A B",
        ),
        _unseen("{K} is {L}'s {bond.two}", "{L} is the {bond.one} of {K}", "K L", "aside"),
    ),
    "cause and result": (
        _T("The {trouble} led to the {trouble2}", "The {trouble2} resulted from the {trouble}", "trouble trouble2", "then"),
        _T("The {trouble} caused the {trouble2}", "The {trouble2} was caused by the {trouble}", "trouble trouble2", "then"),
        _T("The {trouble2} was due to the {trouble}", "The {trouble} caused the {trouble2}", "trouble trouble2", "before"),
        _T("The {event} preceded the {event2}", "The {event2} followed the {event}", "event event2", "before"),
        _T("The {event2} came after the {event}", "The {event} came before the {event2}", "event event2", "before"),
        _unseen("The {trouble2} was a result of the {trouble}", "The {trouble} resulted in the {trouble2}", "trouble trouble2", "before"),
    ),
    "places turned round": (
        _T("{town} lies north of {town2}", "{town2} lies south of {town}", "town town2", "aside"),
        _T("{town} lies east of {town2}", "{town2} lies west of {town}", "town town2", "aside"),
        _T("The {thing} hung above the {thing2}", "The {thing2} hung below the {thing}", "thing thing2", "before"),
        _T("{A} sat behind {B}", "{B} sat in front of {A}", "A B", "then"),
        _T(
            "The {thing} is to the left of the {thing2}",
            "The {thing2} is to the right of the {thing}",
            "thing thing2",
            "aside",
        ),
        _unseen("{town} is south of {town2}", "{town2} is north of {town}", "town town2", "aside"),
    ),
    "symmetric predicate": (
        _T("{A} [met|never met] {B}", "{B} [met|never met] {A}", "", "then"),
        _T("{A} married {B}, and {C} {move.past}", "{B} married {A}, and {C} {move.past}", "A C", "before"),
        _T("{A} met {B} without {C}", "{B} met {A} without {C}", "A C", "then"),
        _T("{A} worked with {B} but not with {C}", "{B} worked with {A}, but {C} did not", "B C", "before"),
        _T("{town} borders {town2} but not {town3}", "{town2} borders {town}, but {town3} does not", "town2 town3", "aside"),
        _unseen("{A} argued with {B} but not with {C}", "{B} argued with {A}, but {C} did not", "B C", "before"),
    ),
    "cleft": (
        _T("{A} {act.past} {B}", "It was {A} who {act.past} {B}", "A B", "then"),
        _T("{A} {act.past} {B}", "It was {B} that {A} {act.past}", "A B", "then"),
        _T("It was {A} who {act.past} {B}", "{B} was {act.part} by {A}", "A B", "then"),
        _T("The person who {act.past} {B} was {A}", "{A} {act.past} {B}", "A B", "before"),
        _T("It was {B} that {A} {act.past}", "{A} was the one who {act.past} {B}", "A B", "before"),
        _unseen("The one that {A} {act.past} was {B}", "{A} {act.past} {B}", "A B", "before"),
    ),
    "possessive": (
        _T("{A}'s {kin} {act.past} {B}", "The {kin} of {A} {act.past} {B}", "A B", "then"),
        _T("{A} {act.past} {B}'s {kin}", "{A} {act.past} the {kin} of {B}", "A B", "then"),
        _T("The {kin} of {A} {act.past} {B}", "{A}'s {kin} {act.past} {B}", "A B", "then"),
        _T("{A} has a {kin} who {feel.s} {B}", "{A}'s {kin} {feel.s} {B}", "A B", "aside"),
        _unseen("{A} {act.past} one of {B}'s {kin.pl}", "{A} {act.past} one of the {kin.pl} of {B}", "A B", "then"),
    ),
    "particle movement": (
        _T("{A} {particle.past} [{particle.one}|{particle.two}] the {thing}", "{A} {particle.past} the {thing} [{particle.one}|{particle.two}]", "", "then"),
        _T(
            "{A} {particle.past} {particle.one} the {thing}, and {B} {particle2.past} {particle2.one} the {thing2}",
            "{A} {particle.past} the {thing} {particle.one}, and {B} {particle2.past} the {thing2} {particle2.one}",
            "thing thing2",
        ),
        _T(
            "{A} {particle.past} {particle.one} the {thing} and {particle.two} the {thing2}",
            "{A} {particle.past} the {thing} {particle.one} and the {thing2} {particle.two}",
            "thing thing2",
        ),
        _T("{A} turned [on|off] the radio", "{A} turned the radio [on|off]", "", "then"),
        _unseen("{A} will {particle.base} [{particle.one}|{particle.two}] the {thing}", "{A} will {particle.base} the {thing} [{particle.one}|{particle.two}]", "", "later"),
    ),
    "causative": (
        _T("{A} {change.past} the {stuff} and {change2.past} the {stuff2}", "The {stuff} {change.past} and the {stuff2} {change2.past}", "stuff stuff2", "before"),
        _T("{A} made the {stuff} {change.base} and the {stuff2} {change2.base}", "The {stuff} {change.past} and the {stuff2} {change2.past}", "stuff stuff2", "before"),
        _T("{A} let the {stuff} {change.base} but {change2.past} the {stuff2}", "The {stuff} {change.past} but the {stuff2} {change2.past}", "stuff stuff2", "before"),
        _unseen("{A} {change.past} the {stuff} before {B} {change2.past} the {stuff2}", "The {stuff} {change.past} before the {stuff2} {change2.past}", "stuff stuff2"),
    ),
    "there-insertion": (
        _T("A {thing} was {under} the {thing2}", "There was a {thing} {under} the {thing2}", "thing thing2", "then"),
        _T("There was a {thing} {under} the {thing2}", "A {thing} was {under} the {thing2}", "thing thing2", "then"),
        _T("A {role} was {act.ing} a {role2}", "There was a {role} {act.ing} a {role2}", "role role2", "then"),
        _T("A {role} stood behind a {role2}", "There stood a {role} behind a {role2}", "role role2", "before"),
        _unseen("Behind the {thing2} there was a {thing}", "A {thing} was behind the {thing2}", "thing thing2"),
    ),
    "negation": (
        _T("{A} [failed|managed] to {act.base} {B}", "{A} [did not {act.base}|{act.past}] {B}", "", "then"),
        _T("{A} [forgot|remembered] to {handle.base} the {thing}", "{A} [did not {handle.base}|{handle.past}] the {thing}", "", "then"),
        _T("The {place} was [not open|open]", "The {place} was [closed|not closed]", "", "then"),
        _T("{A} was [not absent|absent]", "{A} was [present|not present]", "", "then"),
        _T("{A} {move.past}, but {B} did not", "{B} did not {move.base}, but {A} did", "A B", "before"),
        _T("Only {A} {move.past}, not {B}", "{A} {move.past}, but {B} did not", "A B", "before"),
        _unseen("It is [not true|true] that {A} {act.past} {B}", "{A} [did not {act.base}|{act.past}] {B}"),
    ),
    "neither/nor": (
        _T("[Neither {A} nor {B}|Both {A} and {B}] {move.past}", "{A} [did not {move.base}|{move.past}], and [neither|so] did {B}", "", "before"),
        _T("Neither {A} nor {B} {act.past} {C}", "{C} was {act.part} by neither {A} nor {B}", "B C", "then"),
        _T("{A} {act.past} neither {B} nor {C}", "{A} did not {act.base} {B} or {C}", "A B", "then"),
        _T("Either {A} or {B} {act.past} {C}", "{C} was {act.part} by either {A} or {B}", "B C", "then"),
        _unseen("Both {A} and {B} {act.past} {C}", "{C} was {act.part} by both {A} and {B}", "B C", "then"),
    ),
    "too/so": (
        _T("{P} was too {state} to {act.base} {Q}", "{P} was so {state} that {P.he} could not {act.base} {Q}", "P Q", "before"),
        _T("{P} was so {state} that {P.he} did not {act.base} {Q}", "{P} was too {state} to {act.base} {Q}", "P Q", "before"),
        _T("{P} is [too {size}|{size} enough] to {goal}", "{P} is so {size} that {P.he} [cannot|can] {goal}"),
        _T("{A} could not {act.base} {B}, being too {state}", "{A} was too {state} to {act.base} {B}", "A B", "before"),
        _unseen("{P} is too {state} to {act.base} {Q}", "{P} is so {state} that {P.he} cannot {act.base} {Q}", "P Q", "aside"),
    ),
    "preference and choice": (
        _T("{A} prefers {taste} to {taste2}", "{A} likes {taste} more than {taste2}", "taste taste2", "aside"),
        _T("{A} likes {taste} less than {taste2}", "{A} prefers {taste2} to {taste}", "taste taste2", "aside"),
        _T("{A} took the {thing} instead of the {thing2}", "Instead of the {thing2}, {A} took the {thing}", "thing thing2"),
        _T("{A} {handle.past} the {thing}, not the {thing2}", "{A} did not {handle.base} the {thing2} but the {thing}", "thing thing2", "before"),
        _T("{A} {move.past} instead of {B}", "It was not {B} but {A} who {move.past}", "A B", "before"),
        _unseen("{A} likes {taste} more than {taste2}", "{A} likes {taste2} less than {taste}", "taste taste2", "aside"),
    ),
    "apposition": (
        _T("{K}, {L}'s {boss}, {move.past}", "{L}'s {boss}, {K}, {move.past}", "K L", "before"),
        _T("{K}, who is {L}'s {boss}, {move.past}", "{K}, {L}'s {boss}, {move.past}", "K L", "before"),
        _T("{K}, the {boss} of {L}, {move.past}", "{K}, who is the {boss} of {L}, {move.past}", "K L", "before"),
        _T("{L}'s {boss} is {K}", "{K} is the {boss} of {L}", "K L", "aside"),
        _unseen("{K}, the {boss} of {L}, {move.past}", "{K}, {L}'s {boss}, {move.past}", "K L", "before"),
    ),
    "raising": (
        _T("It seems that {A} {feel.s} {B}", "{A} seems to {feel.base} {B}", "A B"),
        _T("It is likely that {A} will {act.base} {B}", "{A} is likely to {act.base} {B}", "A B"),
        _T("Everyone believes that {A} {feel.s} {B}", "{A} is believed to {feel.base} {B}", "A B"),
        _T("It was {manner} of {A} to {act.base} {B}", "{A} was {manner} to {act.base} {B}", "A B", "aside"),
        _T("It is easy for {A} to {act.base} {B}", "{B} is easy for {A} to {act.base}", "A B", "aside"),
        _unseen("{A} is certain to {act.base} {B}", "It is certain that {A} will {act.base} {B}", "A B"),
    ),
    "everyone except/only": (
        _T("Everyone except {A} {act.past} {B}", "Only {A} did not {act.base} {B}", "A B", "then"),
        _T("Nobody but {A} {act.past} {B}", "Only {A} {act.past} {B}", "A B", "then"),
        _T("{A} {act.past} everyone but {B}", "{A} {act.past} everyone except {B}", "A B", "then"),
        _T("{A} is the only one who {feel.s} {B}", "Only {A} {feel.s} {B}", "A B", "aside"),
        _unseen("{B} was {act.part} by nobody but {A}", "Nobody but {A} {act.past} {B}", "A B", "then"),
    ),
}
