"""How Sphinx builds the site of the documentation: ``make docs``. Nothing on it is loaded from another host."""

import re

from sphinx.application import Sphinx

import rekern

project = "Rekern"
author = copyright = "The Rekern authors"
version = release = rekern.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
root_doc = "README"
exclude_patterns = ["**/*.py"]
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
suppress_warnings = ["ref.python"]  # parameters of the same name in two classes
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
default_role = "code"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
highlight_language = "python"

html_theme = "pydata_sphinx_theme"
html_title = f"Rekern {release}"
html_show_sphinx = html_show_sourcelink = html_copy_source = False
templates_path = ["templates"]
html_sidebars = {"**": ["all_pages.html"]}
html_theme_options = {
    "navbar_start": ["navbar-logo", "version-switcher"],
    "navbar_center": [],  # all pages are at the left, in their sections
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "switcher": {"json_url": "../versions.json", "version_match": release},
    "check_switcher": False,
    "search_bar_text": "Search",
}


def list_sections(text: str) -> dict[str, list[str]]:
    """The sections of docs/README.md and the pages that each lists.

    >>> list_sections("- **Concepts** for background: [rules](concepts/rules.md).")
    {'Concepts': ['concepts/rules.md']}
    """
    sections = {}
    for section in re.split(r"\n(?=- )", text):
        title = re.match(r"- \*\*(.+?)\*\*", section)
        if title:
            sections[title[1]] = re.findall(r"\]\(([^)#]+\.md)\)", section)
    return sections


def list_pages(page: str, text: str) -> dict[str, list[str]]:
    """The pages below a page in the navigation, by section: those that the first page of a folder lists.

    >>> list_pages("gallery/README", "see [speed](speed.md#a-gpu), [speed](speed.md) and [rules](../concepts/rules.md)")
    {'Pages': ['speed.md']}
    >>> list_pages("gallery/speed", "see [pairs](pairs.md)")
    {}
    """
    if page == root_doc:
        return list_sections(text)
    if not page.endswith("/README"):
        return {}
    return {"Pages": list(dict.fromkeys(re.findall(r"\]\(([^)#.][^)#]*\.md)", text)))}


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Make the navigation out of the lists of pages on the first pages of the folders, so that there is one list."""
    for title, pages in list_pages(page, source[0]).items():
        listed = "\n".join(pages)
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"


def skip_member(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out what scikit-learn adds to every estimator, and what the page of ``rekern`` itself has."""
    if re.fullmatch(r"set_\w+_request|get_metadata_routing", name):
        return True
    if what == "module" and app.env.docname != "reference/api/models" and name in rekern.__all__:
        return True
    return None


def setup(app: Sphinx) -> None:
    """Sphinx calls this."""
    app.connect("source-read", add_navigation)
    app.connect("autodoc-skip-member", skip_member)
