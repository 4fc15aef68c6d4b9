"""Heads of phrases by Collins' rules, read off the table of his thesis one phrase at a time, with recursion."""

# phrase, where the search begins, labels in order of preference
TABLE = """
ADJP   left   NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP   right  RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP  right  CC RB IN
FRAG   right
INTJ   left
LST    right  LS :
NAC    left   NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
PP     right  IN TO VBG VBN RP FW
PRN    left
PRT    right  RP
QP     left   $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC    right  VP NP ADVP ADJP PP
S      left   TO IN VP S SBAR ADJP UCP NP
SBAR   left   WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ  left   SQ S SINV SBARQ FRAG
SINV   left   VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ     left   VBZ VBD VBP VB MD VP SQ
UCP    right
VP     left   TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
WHADJP left   CC WRB JJ ADJP
WHADVP right  CC WRB
WHNP   left   WDT WP WP$ WHADJP WHPP WHNP
WHPP   right  IN TO FW
"""
RULES = {line.split()[0]: (line.split()[1], line.split()[2:]) for line in TABLE.strip().splitlines()}
PUNCTUATION = [",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"]


def bare(label):
    """A label without function tags."""
    for mark in "-=|":
        if mark in label[1:] and not label.startswith("-"):
            label = label[: label.index(mark, 1)]
    return label


def head(label, children):
    """The child that is the head: children are labels, and the answer is a place among them."""
    kept = [(place, bare(child)) for place, child in enumerate(children) if bare(child) not in PUNCTUATION]
    if not kept:
        return 0
    names = [name for _, name in kept]
    chosen = noun_phrase(names) if bare(label) in ("NP", "NX") else other_phrase(bare(label), names)
    if chosen >= 2 and names[chosen - 1] == "CC":
        chosen -= 2
    return kept[chosen][0]


def other_phrase(label, names):
    side, wishes = RULES.get(label, ("left", []))
    places = list(range(len(names)))
    if side == "right":
        places.reverse()
    for wish in wishes:
        for place in places:
            if names[place] == wish:
                return place
    return places[0]


def noun_phrase(names):
    last = len(names) - 1
    if names[last] == "POS":
        return last
    for place in range(last, -1, -1):
        if names[place] in ("NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR"):
            return place
    for place in range(last + 1):
        if names[place] == "NP":
            return place
    for wanted in (("$", "ADJP", "PRN"), ("CD",), ("JJ", "JJS", "RB", "QP")):
        for place in range(last, -1, -1):
            if names[place] in wanted:
                return place
    return last


def dependencies(tree):
    """(words, heads) of a tree of (label, children); words below -NONE- are left out."""
    words, heads = [], []

    def visit(node, tag):
        """The number of the node's head word, or None where it has no word."""
        label, children = node
        if not children:
            if tag == "-NONE-":
                return None
            words.append(label)
            heads.append(-1)
            return len(words) - 1
        own = bare(label) if len(children) == 1 else "_"
        found = [(child, visit(child, own)) for child in children]
        found = [(child, word) for child, word in found if word is not None]
        if not found:
            return None
        chosen = found[head(label, [child[0] if child[1] else "_" for child, _ in found])][1]
        for _, word in found:
            if word != chosen:
                heads[word] = chosen
        return chosen

    if tree is not None:
        visit(tree, "_")
    return words, heads
