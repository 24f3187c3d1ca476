"""Elements of a page. Texts are escaped when the page is written, so none can become markup."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

Node = ElementTree.Element
Child = Node | str | None


def element(tag: str, *children: Child, **attributes: object) -> Node:
    """``<tag attribute="…">children</tag>``.

    A trailing underscore of an attribute's name is dropped and others become hyphens; an attribute
    that is None is left out. A child that is None is left out.
    """
    named = {
        name.rstrip("_").replace("_", "-"): str(value)
        for name, value in attributes.items()
        if value is not None
    }
    return extend(ElementTree.Element(tag, named), children)


def extend(node: Node, children: Iterable[Child]) -> Node:
    """Put children at the end of an element, and give it back."""
    for child in children:
        if child is None:
            continue
        if not isinstance(child, str):
            node.append(child)
        elif len(node):
            node[-1].tail = (node[-1].tail or "") + child
        else:
            node.text = (node.text or "") + child
    return node


def written(*nodes: Node) -> str:
    """The elements as HTML."""
    return "\n".join(
        ElementTree.tostring(node, encoding="unicode", method="html") for node in nodes
    )


def untrusted(text: str) -> Node:
    """A text from data: what is written from right to left in it turns nothing around it."""
    return element("bdi", text)
