"""What two trees have in common: the fragments that a tree kernel counts."""

from picture import BLUE, GREY, INK, LIGHT, Picture, save

from rekern.kernels import SubsetTree

Tree = tuple  # a label and its children; a leaf is a string
ONE = ("S", ("NP", ("NNP", "Anna")), ("VP", ("VBD", "met"), ("NP", ("DT", "the"), ("NN", "doctor"))))
OTHER = ("S", ("NP", ("NNP", "Ben")), ("VP", ("VBD", "met"), ("NP", ("DT", "the"), ("NN", "pilot"))))
N_FRAGMENTS = 7


def list_productions(tree: Tree | str) -> set[tuple[str, ...]]:
    """List the nodes of a tree with the labels of their children."""
    if isinstance(tree, str):
        return set()
    children = tuple(child if isinstance(child, str) else child[0] for child in tree[1:])
    return {(tree[0], *children)}.union(*(list_productions(child) for child in tree[1:]))


def draw_tree(picture: Picture, tree: Tree | str, left: float, y: float, shared: set[tuple[str, ...]]) -> float:
    """Draw a tree whose leaves start at ``left``; return the right end. Shared productions are blue."""
    if isinstance(tree, str):
        picture.text(left + 27, y, tree, 13, "middle", GREY)
        return left + 54
    right = left
    places = []
    for child in tree[1:]:
        start = right
        right = draw_tree(picture, child, start, y + 52, shared)
        places.append((start + right) / 2)
    middle = (left + right) / 2
    children = tuple(child if isinstance(child, str) else child[0] for child in tree[1:])
    is_shared = (tree[0], *children) in shared
    for place in places:
        picture.line([(middle, y + 6), (place, y + 37)], BLUE if is_shared else GREY, 2 if is_shared else 1)
    picture.box(middle - 21, y - 15, 42, 21, BLUE if is_shared else LIGHT, 4)
    picture.text(middle, y, tree[0], 13, "middle", "#ffffff" if is_shared else INK)
    return right


def draw() -> Picture:
    """Draw two trees, the productions that both have, and the fragments with the largest weights."""
    shared = list_productions(ONE) & list_productions(OTHER)
    kernel = SubsetTree()
    why = kernel.explain(ONE, OTHER)
    picture = Picture(860, 330, "Two trees and the fragments that they share")
    picture.text(24, 36, f"Similarity {kernel(ONE, OTHER):.2f}: blue is what both trees have", 16, bold=True)
    draw_tree(picture, ONE, 24, 84, shared)
    draw_tree(picture, OTHER, 314, 84, shared)
    picture.text(610, 76, "fragment", 12, color=GREY)
    picture.text(836, 76, "adds", 12, "end", GREY)
    for n, part in enumerate(why.parts[:N_FRAGMENTS]):
        picture.text(610, 102 + 27 * n, part.name, 12, mono=True)
        picture.text(836, 102 + 27 * n, f"{part.contribution:.3f}", 13, "end")
    rest = why.decision - sum(part.contribution for part in why.parts[:N_FRAGMENTS])
    picture.text(610, 102 + 27 * N_FRAGMENTS, "all others", 13)
    picture.text(836, 102 + 27 * N_FRAGMENTS, f"{rest:.3f}", 13, "end")
    return picture


if __name__ == "__main__":
    save(draw(), __file__)
