"""The re-writings of the embedded corpus, each as a few pairs of sentences with slots.

One template gives four pairs. Each of its two sentences has two versions: ``[x|y]`` is *x* in the first and *y* in the
second, and the slots in ``swap`` are exchanged in the second. Source and target of the same version have the same
meaning; source and target of different versions do not. Every source and every target therefore occurs equally often
in positive and in negative pairs: neither one side alone nor the two bags of words can decide.

Slots: ``A B C`` are people by name or by occupation, ``K L`` people by name, ``P Q`` people by name and of one gender;
``clause`` is a subject with a verb of its own (``then``, ``s``, ``will``, ``will_not``). Every other slot is a pool of
`rewrite_words.Words`, with a digit if a sentence needs a second one of the same pool.
"""

from typing import NamedTuple


class Template(NamedTuple):
    """Two sentences with the same meaning, the slots to swap, the adjuncts they allow, and whether training lacks it.

    >>> Template("{A} {act.past} {B}", "{B} was {act.part} by {A}", swap="A B").unseen
    False
    """

    source: str
    target: str
    swap: str = ""
    adjunct: str = ""  # "past", "future": before or after the sentence; "front", "aside": only before it
    unseen: bool = False


def _make_unseen(source: str, target: str, swap: str = "", adjunct: str = "") -> Template:
    return Template(source, target, swap, adjunct, unseen=True)


_T = Template

REWRITINGS: dict[str, tuple[Template, ...]] = {
    "active to passive": (
        _T("{A} {act.past} {B}", "{B} was {act.part} by {A}", "A B", "past"),
        _T("{A} has {act.part} {B}", "{B} has been {act.part} by {A}", "A B", "aside"),
        _T("{A} may {act.base} {B}", "{B} may be {act.part} by {A}", "A B", "future"),
        _T("{A} often {act.past} {B}", "{B} was often {act.part} by {A}", "A B", "aside"),
        _make_unseen("{A} must {act.base} {B}", "{B} must be {act.part} by {A}", "A B", "aside"),
        _make_unseen("{A} can {act.base} {B}", "{B} can be {act.part} by {A}", "A B", "aside"),
    ),
    "passive to active": (
        _T("{B} was {act.part} by {A}", "{A} {act.past} {B}", "A B", "past"),
        _T("{B} has been {act.part} by {A}", "{A} has {act.part} {B}", "A B", "aside"),
        _T("{B} may be {act.part} by {A}", "{A} may {act.base} {B}", "A B", "future"),
        _T("{B} was never {act.part} by {A}", "{A} never {act.past} {B}", "A B", "aside"),
        _make_unseen("{B} must be {act.part} by {A}", "{A} must {act.base} {B}", "A B", "aside"),
    ),
    "dative shift": (
        _T("{A} {give.past} {B} the {thing}", "{A} {give.past} the {thing} to {B}", "A B", "past"),
        _T("{A} {give.past} the {thing} to {B}", "{A} {give.past} {B} the {thing}", "A B", "past"),
        _T("{A} will {give.base} {B} a {thing}", "{A} will {give.base} a {thing} to {B}", "A B", "future"),
        _T("{A} {fetch.past} {B} a {thing}", "{A} {fetch.past} a {thing} for {B}", "A B", "past"),
        _make_unseen("{A} later {give.past} {B} the {thing}", "{A} later {give.past} the {thing} to {B}", "A B"),
    ),
    "nominalisation": (
        _T("it surprised everyone that {A} {deed.past} {B}", "{A}'s {deed.one} of {B} surprised everyone", "A B"),
        _T("{A}'s {deed.one} of {B} annoyed {group}", "it annoyed {group} that {A} {deed.past} {B}", "A B"),
        _T("the {deed.one} of {B} by {A} was a mistake", "it was a mistake that {A} {deed.past} {B}", "A B", "aside"),
        _T("{A} announced that {B} was {deed.part}", "{A} announced the {deed.one} of {B}", "A B", "past"),
        _make_unseen("it pleased everyone that {A} {deed.past} {B}", "{A}'s {deed.one} of {B} pleased everyone", "A B"),
    ),
    "cause and clause order": (
        _T("{clause.then} because {clause2.then}", "because {clause2.then}, {clause.then}", "clause clause2"),
        _T("because {clause2.then}, {clause.then}", "{clause.then} because {clause2.then}", "clause clause2"),
        _T("{clause.then}, so {clause2.then}", "{clause2.then} because {clause.then}", "clause clause2", "front"),
        _T("{clause.will} if {clause2.s}", "if {clause2.s}, {clause.will}", "clause clause2"),
        _make_unseen("since {clause2.then}, {clause.then}", "{clause.then}, since {clause2.then}", "clause clause2"),
        _make_unseen("{clause.then}, and so {clause2.then}", "{clause2.then} because {clause.then}", "clause clause2"),
    ),
    "before/after": (
        _T("{clause.then} before {clause2.then}", "{clause2.then} after {clause.then}", "clause clause2", "front"),
        _T("{clause2.then} after {clause.then}", "{clause.then} before {clause2.then}", "clause clause2", "front"),
        _T("after {clause2.then}, {clause.then}", "{clause.then} after {clause2.then}", "clause clause2"),
        _T("first {clause.then}, and then {clause2.then}", "{clause2.then} after {clause.then}", "clause clause2"),
        _make_unseen("{clause.then}, and then {clause2.then}", "{clause2.then} after {clause.then}", "clause clause2"),
    ),
    # The people are exchanged here, not the clauses, because "unless X, Y" and "unless Y, X" have the same meaning.
    "unless/if not": (
        _T("{A} will {move.base} unless {B} {move2.s}", "if {B} does not {move2.base}, {A} will {move.base}", "A B"),
        _T("unless {B} {move2.s}, {A} will {move.base}", "{A} will {move.base} if {B} does not {move2.base}", "A B"),
        _T("unless {B} {move2.s}, {A} will {move.base}", "{A} will {move.base} unless {B} {move2.s}", "A B"),
        _T("{clause.will_not} unless {clause2.s}", "{clause.will} only if {clause2.s}", "clause clause2"),
        _make_unseen("{A} will {move.base} unless {B} {move2.s}", "unless {B} {move2.s}, {A} will {move.base}", "A B"),
    ),
    "relative clause": (
        _T("{A} {act.past} {B}, who {move.past}", "{B}, whom {A} {act.past}, {move.past}", "A B", "front"),
        _T("{A}, who {act.past} {B}, {move.past}", "{A} {act.past} {B} and {move.past}", "A B", "front"),
        _T("{A} is the person who {act.past} {B}", "{B} was {act.part} by {A}", "A B", "aside"),
        _T("{B} is the person whom {A} {act.past}", "{A} {act.past} {B}", "A B", "aside"),
        _make_unseen("{A} is the one who {act.past} {B}", "{B} was {act.part} by {A}", "A B", "aside"),
    ),
    "opposite comparatives": (
        _T("{A} is {degree.one} than {B}", "{B} is {degree.two} than {A}", "A B", "aside"),
        _T("{A} was {degree.two} than {B}", "{B} was {degree.one} than {A}", "A B", "aside"),
        _T("{town} is larger than {town2}", "{town2} is smaller than {town}", "town town2", "aside"),
        _T(
            "the {thing} is cheaper than the {thing2}",
            "the {thing2} is more expensive than the {thing}",
            "thing thing2",
            "aside",
        ),
        _make_unseen("{A} is a little {degree.one} than {B}", "{B} is a little {degree.two} than {A}", "A B", "aside"),
    ),
    "more/less": (
        _T("{A} is more {trait} than {B}", "{B} is less {trait} than {A}", "A B", "aside"),
        _T("{A} is less {trait} than {B}", "{B} is more {trait} than {A}", "A B", "aside"),
        _T("{A} is not as {trait} as {B}", "{B} is more {trait} than {A}", "A B", "aside"),
        _T("{A} {move.past} more often than {B}", "{B} {move.past} less often than {A}", "A B", "aside"),
        _make_unseen("{A} is more {trait} than {B}", "{B} is not as {trait} as {A}", "A B", "aside"),
    ),
    "twice/half": (
        _T("{A} has twice as many {thing.pl} as {B}", "{B} has half as many {thing.pl} as {A}", "A B", "aside"),
        _T("{A} has half as many {thing.pl} as {B}", "{B} has twice as many {thing.pl} as {A}", "A B", "aside"),
        _T("{A} {have.past} more {thing.pl} than {B}", "{B} {have.past} fewer {thing.pl} than {A}", "A B", "past"),
        _T("{A} spent twice as much as {B}", "{B} spent half as much as {A}", "A B", "past"),
        _make_unseen(
            "{A} {have.past} twice as many {thing.pl} as {B}",
            "{B} {have.past} half as many {thing.pl} as {A}",
            "A B",
            "past",
        ),
    ),
    "numbers": (
        _T("{A} has {number} more {thing.pl} than {B}", "{B} has {number} fewer {thing.pl} than {A}", "A B", "aside"),
        _T(
            "{A} {have.past} a dozen {thing.pl}, and {B} {have.past} six",
            "{B} {have.past} half a dozen {thing.pl}, and {A} {have.past} twelve",
            "A B",
            "front",
        ),
        _T(
            "[more than|fewer than] half of the {role.pl} {move.past}",
            "[the majority|a minority] of the {role.pl} {move.past}",
            "",
            "front",
        ),
        _T("[at least|at most] {number} {role.pl} {move.past}", "{number} {role.pl} or [more|fewer] {move.past}"),
        _make_unseen(
            "{A} {have.past} {number} more {thing.pl} than {B}",
            "{B} {have.past} {number} fewer {thing.pl} than {A}",
            "A B",
            "past",
        ),
    ),
    "reported speech": (
        _T('"I {feel.base} {Q}," said {P}', "{P} said that {P.he} {feel.past} {Q}", "P Q"),
        _T("{P} said that {P.he} {feel.past} {Q}", '{P} said, "I {feel.base} {Q}"', "P Q"),
        _T("{K} told {L} to {handle.base} the {thing}", '"{handle.base} the {thing}, {L}," said {K}', "K L"),
        _T("according to {A}, {B} {move.past}", "{A} said that {B} {move.past}", "A B", "front"),
        _make_unseen('"I have {act.part} {Q}," said {P}', "{P} said that {P.he} had {act.part} {Q}", "P Q"),
    ),
    "buy/sell, lend/borrow": (
        _T("{A} sold {B} the {thing}", "{B} bought the {thing} from {A}", "A B", "past"),
        _T("{A} bought the {thing} from {B}", "{B} sold the {thing} to {A}", "A B", "past"),
        _T("{A} lent a {thing} to {B}", "{B} borrowed a {thing} from {A}", "A B", "past"),
        _T("{A} taught {B} {skill}", "{B} learned {skill} from {A}", "A B", "past"),
        _make_unseen("{A} sold the {thing} to {B}", "{B} bought the {thing} from {A}", "A B", "past"),
        _make_unseen("{A} lent {B} the {thing}", "{B} borrowed the {thing} from {A}", "A B", "past"),
    ),
    "two sides of a relation": (
        _T("{K} is {L}'s {bond.one}", "{L} is {K}'s {bond.two}", "K L", "aside"),
        _T("{K} is the {bond.two} of {L}", "{L} is the {bond.one} of {K}", "K L", "aside"),
        _T("{A} works for {B}", "{B} employs {A}", "A B", "aside"),
        _T("{A} won against {B}", "{B} lost to {A}", "A B", "past"),
        _make_unseen("{K} is {L}'s {bond.two}", "{L} is {K}'s {bond.one}", "K L", "aside"),
    ),
    "cause and result": (
        _T(
            "the {trouble} led to the {trouble2}",
            "the {trouble2} resulted from the {trouble}",
            "trouble trouble2",
            "aside",
        ),
        _T(
            "the {trouble} caused the {trouble2}",
            "the {trouble2} was caused by the {trouble}",
            "trouble trouble2",
            "aside",
        ),
        _T("the {event} preceded the {event2}", "the {event2} followed the {event}", "event event2", "aside"),
        _T("the {event2} came after the {event}", "the {event} came before the {event2}", "event event2", "aside"),
        _make_unseen(
            "the {trouble} resulted in the {trouble2}",
            "the {trouble2} was caused by the {trouble}",
            "trouble trouble2",
            "aside",
        ),
    ),
    "places turned round": (
        _T("{town} lies north of {town2}", "{town2} lies south of {town}", "town town2", "aside"),
        _T("the {site} stands above the {site2}", "the {site2} stands below the {site}", "site site2", "aside"),
        _T("{A} sat behind {B}", "{B} sat in front of {A}", "A B", "past"),
        _T(
            "the {site} is to the left of the {site2}",
            "the {site2} is to the right of the {site}",
            "site site2",
            "aside",
        ),
        _make_unseen("{town} lies east of {town2}", "{town2} lies west of {town}", "town town2", "aside"),
    ),
    "symmetric predicate": (
        _T("{A} met {B} but not {C}", "{B} met {A}, but {C} did not", "B C", "past"),
        _T("{A} married {B}, not {C}", "{B} married {A}, but {C} did not", "B C", "front"),
        _T("{A} worked with {B} but not with {C}", "{B} worked with {A}, but {C} did not", "B C", "front"),
        _T(
            "{town} borders {town2} but not {town3}",
            "{town2} borders {town}, but {town3} does not",
            "town2 town3",
            "aside",
        ),
        _make_unseen("{A} argued with {B} but not with {C}", "{B} argued with {A}, but {C} did not", "B C", "front"),
    ),
    "cleft": (
        _T("{A} had {act.part} {B}", "it was {A} who had {act.part} {B}", "A B", "past"),
        _T("{A} {act.past} {B}", "it was {B} that {A} {act.past}", "A B", "past"),
        _T("it was {A} who {act.past} {B}", "{B} was {act.part} by {A}", "A B", "past"),
        _T("the person who {act.past} {B} was {A}", "{A} {act.past} {B}", "A B", "front"),
        _make_unseen("the one who {act.past} {B} was {A}", "{A} {act.past} {B}", "A B", "front"),
    ),
    "possessive": (
        _T("{A}'s {kin} {act.past} {B}", "the {kin} of {A} {act.past} {B}", "A B", "past"),
        _T("{A} {act.past} {B}'s {kin}", "{A} {act.past} the {kin} of {B}", "A B", "past"),
        _T("the {kin} of {A} {act.past} {B}", "{A}'s {kin} {act.past} {B}", "A B", "past"),
        _T("{A} {act.past} the {kin} of {B}", "{A} {act.past} {B}'s {kin}", "A B", "past"),
        _make_unseen("{A} and {B}'s {kin} {move.past}", "{A} and the {kin} of {B} {move.past}", "A B", "front"),
    ),
    "particle movement": (
        _T(
            "{A} {particle.past} [{particle.one}|{particle.two}] the {thing}",
            "{A} {particle.past} the {thing} [{particle.one}|{particle.two}]",
            "",
            "past",
        ),
        _T(
            "{A} {particle.past} {particle.one} the {thing}, not the {thing2}",
            "{A} {particle.past} the {thing} {particle.one}, not the {thing2}",
            "thing thing2",
            "front",
        ),
        _T(
            "{A} {particle.past} {particle.one} the {thing} after the {thing2}",
            "{A} {particle.past} the {thing} {particle.one} after the {thing2}",
            "thing thing2",
            "front",
        ),
        _T(
            "{A} {particle.past} {particle.one} the {thing}, and {B} {particle2.past} {particle2.one} the {thing2}",
            "{A} {particle.past} the {thing} {particle.one}, and {B} {particle2.past} the {thing2} {particle2.one}",
            "thing thing2",
        ),
        _T("{A} turned [on|off] the {device}", "{A} turned the {device} [on|off]", "", "past"),
        _make_unseen(
            "{A} {particle.past} {particle.one} the {thing} before the {thing2}",
            "{A} {particle.past} the {thing} {particle.one} before the {thing2}",
            "thing thing2",
            "front",
        ),
    ),
    "causative": (
        _T(
            "{A} {change.past} the {stuff} and {change2.past} the {stuff2}",
            "the {stuff} {change.past} and the {stuff2} {change2.past}",
            "stuff stuff2",
            "front",
        ),
        _T(
            "{A} made the {stuff} {change.base} and the {stuff2} {change2.base}",
            "the {stuff} {change.past} and the {stuff2} {change2.past}",
            "stuff stuff2",
            "front",
        ),
        _T(
            "{A} let the {stuff} {change.base} but {change2.past} the {stuff2}",
            "the {stuff} {change.past} but the {stuff2} {change2.past}",
            "stuff stuff2",
            "front",
        ),
        _make_unseen(
            "{A} {change.past} the {stuff} before {B} {change2.past} the {stuff2}",
            "the {stuff} {change.past} before the {stuff2} {change2.past}",
            "stuff stuff2",
        ),
    ),
    "there-insertion": (
        _T("a {site} was behind the {site2}", "there was a {site} behind the {site2}", "site site2", "aside"),
        _T("there was a {site} above the {site2}", "a {site} was above the {site2}", "site site2", "aside"),
        _T("a {role} was {act.ing} a {role2}", "there was a {role} {act.ing} a {role2}", "role role2", "past"),
        _T("a {role} stood behind a {role2}", "there stood a {role} behind a {role2}", "role role2", "front"),
        _make_unseen("behind the {site2} there was a {site}", "a {site} was behind the {site2}", "site site2"),
    ),
    "negation": (
        _T("{A} [failed|managed] to {act.base} {B}", "{A} [did not {act.base}|{act.past}] {B}", "", "past"),
        _T(
            "{A} forgot to {handle.base} the {thing}, but {B} remembered",
            "{B} {handle.past} the {thing}, but {A} did not",
            "A B",
            "front",
        ),
        _T(
            "the {place} was open, but the {place2} was not",
            "the {place2} was closed, but the {place} was not",
            "place place2",
            "front",
        ),
        _T("{A} was present, but {B} was not", "{B} was absent, but {A} was not", "A B", "front"),
        _T("{A} {move.past}, but {B} did not", "{B} did not {move.base}, but {A} did", "A B", "front"),
        _make_unseen("{A} was awake, but {B} was not", "{B} was asleep, but {A} was not", "A B"),
    ),
    "neither/nor": (
        _T(
            "[neither {A} nor {B}|both {A} and {B}] {move.past}",
            "{A} [did not {move.base}|{move.past}], and [neither|so] did {B}",
            "",
            "front",
        ),
        _T("neither {A} nor {B} {act.past} {C}", "{C} was {act.part} by neither {A} nor {B}", "B C", "past"),
        _T("{A} {act.past} neither {B} nor {C}", "{A} did not {act.base} {B} or {C}", "A B", "past"),
        _T("either {A} or {B} {act.past} {C}", "{C} was {act.part} by either {A} or {B}", "B C", "past"),
        _make_unseen("{C} was {act.part} by neither {A} nor {B}", "neither {A} nor {B} {act.past} {C}", "B C", "past"),
    ),
    "too/so": (
        _T(
            "{P} was too {state} to {act.base} {Q}",
            "{P} was so {state} that {P.he} could not {act.base} {Q}",
            "P Q",
            "front",
        ),
        _T(
            "{P} was so {state} that {P.he} could not {act.base} {Q}",
            "{P} was too {state} to {act.base} {Q}",
            "P Q",
            "front",
        ),
        _T(
            "{P} was {able} enough to {act.base} {Q}",
            "{P} was so {able} that {P.he} could {act.base} {Q}",
            "P Q",
            "front",
        ),
        _T("{A} could not {act.base} {B}, being too {state}", "{A} was too {state} to {act.base} {B}", "A B", "front"),
        _make_unseen(
            "{P} was much too {state} to {act.base} {Q}",
            "{P} was so {state} that {P.he} could not {act.base} {Q}",
            "P Q",
            "front",
        ),
    ),
    "preference and choice": (
        _T("{A} prefers {taste} to {taste2}", "{A} likes {taste} more than {taste2}", "taste taste2", "aside"),
        _T("{A} likes {taste} less than {taste2}", "{A} prefers {taste2} to {taste}", "taste taste2", "aside"),
        _T(
            "{A} picked the {thing} instead of the {thing2}",
            "instead of the {thing2}, {A} picked the {thing}",
            "thing thing2",
        ),
        _T(
            "{A} {handle.past} the {thing}, not the {thing2}",
            "{A} did not {handle.base} the {thing2} but the {thing}",
            "thing thing2",
            "front",
        ),
        _T("{A} was {deed.part} instead of {B}", "it was not {B} but {A} who was {deed.part}", "A B", "front"),
        _make_unseen(
            "{A} likes {taste} more than {taste2}", "{A} likes {taste2} less than {taste}", "taste taste2", "aside"
        ),
    ),
    "apposition": (
        _T("{K}, {L}'s {boss}, {move.past}", "{L}'s {boss}, {K}, {move.past}", "K L", "front"),
        _T("{K}, who is {L}'s {boss}, {move.past}", "{K}, {L}'s {boss}, {move.past}", "K L", "front"),
        _T("{K}, the {boss} of {L}, {move.past}", "{K}, who is the {boss} of {L}, {move.past}", "K L", "front"),
        _T("{L}'s {boss} is {K}", "{K} is the {boss} of {L}", "K L", "aside"),
        _make_unseen("{K}, who is {L}'s {boss}, {move.past}", "{L}'s {boss}, {K}, {move.past}", "K L", "front"),
    ),
    "raising": (
        _T("it seems that {A} {feel.s} {B}", "{A} seems to {feel.base} {B}", "A B"),
        _T("it is likely that {A} will {act.base} {B}", "{A} is likely to {act.base} {B}", "A B"),
        _T("everyone believes that {A} {feel.s} {B}", "{A} is believed to {feel.base} {B}", "A B"),
        _T("it was {manner} of {A} to {act.base} {B}", "{A} was {manner} to {act.base} {B}", "A B", "aside"),
        _make_unseen("it is certain that {A} will {act.base} {B}", "{A} is certain to {act.base} {B}", "A B"),
    ),
    "everyone except/only": (
        _T("everyone except {A} {act.past} {B}", "only {A} did not {act.base} {B}", "A B", "past"),
        _T("nobody but {A} {act.past} {B}", "only {A} {act.past} {B}", "A B", "past"),
        _T("{A} {act.past} everyone but {B}", "{A} {act.past} everyone except {B}", "A B", "past"),
        _T("{B} was {act.part} by everyone except {A}", "everyone except {A} {act.past} {B}", "A B", "past"),
        _make_unseen("{B} was {act.part} by nobody but {A}", "nobody but {A} {act.past} {B}", "A B", "past"),
    ),
}
