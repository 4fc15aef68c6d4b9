"""The group "roles", slow and plain: ways in a graph, and the word of the source with the roles of the target."""

import math

SHORT = {"part": 0.5, "is": 0.5, "number": 0.5, "quality": 0.7}
PLAIN = {"subject", "object", "adverb", "predicate", "part", "quality", "number", "time"}
CLAUSES = {"xcomp", "ccomp", "advcl", "acl"}
NOMINAL = {"of", "part", "quality", "is", "in", "at", "from", "for", "number"}


def links(graph):
    """All links with their costs; the text itself is the last place."""
    size = len(graph.tree.words)
    for place in range(size):
        parent = graph.tree.parents[place]
        if parent < 0:
            yield place, size, 1.5
        else:
            yield place, parent, 0.5 if graph.tree.is_part[place] else 1.0
    for one, role, other in graph.edges:
        yield one, other, SHORT.get(role, 1.0)
    for one, other in graph.same:
        yield one, other, 0.05


def distances(graph):
    """Relaxes every link until nothing changes (Bellman and Ford)."""
    size = len(graph.tree.words)
    found = []
    for start in range(size):
        far = [math.inf] * (size + 1)
        far[start] = 0.0
        changed = True
        while changed:
            changed = False
            for one, other, cost in links(graph):
                for a, b in ((one, other), (other, one)):
                    if far[a] + cost < far[b] - 1e-12:
                        far[b], changed = far[a] + cost, True
        found.append([min(far[end], 6.0) for end in range(size)])
    return found


def is_preposition(role):
    return role not in PLAIN | CLAUSES | {"is"}


def compare(target, source):
    if target == source:
        return 1.0
    if {target, source} == {"subject", "object"}:
        return 0.0
    if is_preposition(target) and is_preposition(source):
        return 0.8
    if target in NOMINAL and source in NOMINAL:
        return 0.8
    if target == "object" and source in ("of", "part", "predicate", "quality"):
        return 0.8
    if target == "subject" and source in ("by", "of", "quality", "part"):
        return 0.8
    for one, other in ((target, source), (source, target)):
        if is_preposition(one) and other == "time":
            return 0.8
        if is_preposition(one) and other == "object":
            return 0.7
    return 0.4


def frames(source, target, alike, far):
    """The scores of every word of the source that supports the root of the target, the best one first."""
    roots = [place for place, parent in enumerate(target.tree.parents) if parent < 0]
    if not roots:
        return [0.0] * 9
    root = roots[0]
    wanted = [(role, other) for one, role, other in target.edges if one == root]
    able = [at for at in range(len(source.tree.words)) if alike[root][at] > 0]
    if not able:
        return [0.0] * 9
    rows = []
    for at in able:
        values, others = [], 0
        for role, word in wanted:
            known = [compare(role, name) * alike[word][filler] for one, name, filler in source.edges if one == at]
            near = [0.6 * max(0.0, min(1.0, 1 - (far[at][w] - 1) / 3)) * alike[word][w] for w in range(len(far))]
            values.append(max([*known, *near]))
            fillers = [filler for one, name, filler in source.edges if one == at and name == role]
            if role in ("subject", "object") and fillers:
                others += all(alike[word][filler] == 0 for filler in fillers) and any(v > 0 for v in alike[word])
        rows.append((alike[root][at] * (sum(values) / len(values) if values else 1.0), at, values, others))
    total, at, values, others = max(rows, key=lambda row: (row[0], -row[1]))
    return [
        total,
        min(values) if values else 1.0,
        others,
        source.denied[at] != target.denied[root],
        source.doubted[at] - target.doubted[root],
        alike[root][at],
        sum(source.doubted[w] for w in able) / len(able) - target.doubted[root],
        sum(source.denied[w] for w in able) / len(able) - target.denied[root],
        1.0,
    ]


def shared_support(source, alike):
    """Words that name the same thing support what each of them supports."""
    found = [list(row) for row in alike]
    for one, other in source.same:
        for row, known in zip(found, alike):
            row[one], row[other] = max(row[one], known[other]), max(row[other], known[one])
    return found


def identity(source, target, alike):
    equal = [(one, other) for one, role, other in target.edges if role == "is"]
    if not equal:
        return [0.0, 1.0]
    best = 0.0
    for one, role, other in source.edges:
        if role in ("is", "part", "quality", "of"):
            for a, b in equal:
                best = max(best, min(alike[a][one], alike[b][other]), min(alike[a][other], alike[b][one]))
    return [1.0, best]
