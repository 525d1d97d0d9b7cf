"""Quantities by the names that people give them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from attncli.file.address import Address, AddressError
from attncli.file.problems import Hint, knows_nothing, nearest
from attncli.name import Name
from attncli.refusals import shortened

T = TypeVar("T")


def meant(name: str, known: Mapping[str, T]) -> T | None:
    """What is known by a full name; a single layer or head may be named with its number."""
    bare = name.replace("layers[1].", "").replace("heads[1].", "")
    names = (name, name.replace("heads[1].", ""), name.replace("layers[1].", ""), bare)
    return next((known[one] for one in names if one in known), None)


def timed(address: Address, known: Mapping[str, object]) -> Address:
    """An address whose single index is the time of what it names, as of `factor_norm[4]`, has it in
    its name."""
    if len(address.indices) == 1:
        name = f"{address.name}[{address.indices[0].text}]"
        if meant(name, known) is not None:
            return Address(name)
    return address


def unknown_name(name: str, known: Collection[Name], hint: Hint = knows_nothing) -> AddressError:
    """The complaint about a name that none of the known ones is."""
    alike = [one for one in known if one.alone == name.rpartition(".")[2]]
    right = f"did you mean {alike[0]}?" if alike else nearest(name, known, hint)
    return AddressError(f"this trace has no quantity {shortened(name)}", right)


def known_name(name: str, known: Iterable[Name], hint: Hint = knows_nothing) -> Name:
    """The full name that is meant. Raises AddressError."""
    by_text: dict[str, Name] = {one: one for one in known}
    found = meant(name, by_text)
    if found is None:
        raise unknown_name(name, by_text.values(), hint)
    return found
