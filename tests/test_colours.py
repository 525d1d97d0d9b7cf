"""Colours can be read: contrasts after the Web Content Accessibility Guidelines 2.2."""

from __future__ import annotations

import pytest

from attncli.render.colours import DARK, LIGHT, Scheme, shade_of

LEAST = 4.5


def luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb` (WCAG 2.2, its glossary)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_pictures_can_be_read(scheme: Scheme) -> None:
    page = scheme.page.background
    for ink in (scheme.page.text, scheme.aside, scheme.line):
        assert contrast(ink, page) >= LEAST, ink
    for shade in scheme.shades:
        assert contrast(*shade) >= LEAST, shade


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_shades_go_away_from_the_page_step_by_step(scheme: Scheme) -> None:
    steps = [contrast(shade.background, scheme.page.background) for shade in scheme.shades]
    assert steps == sorted(steps)
    assert len(set(steps)) == len(steps)


def test_a_share_has_its_shade() -> None:
    shares = [shade_of(share / 100, LIGHT.shades) for share in range(101)]
    assert shares == sorted(shares)
    assert {*shares} == {*range(len(LIGHT.shades))}
    assert shade_of(-0.2, LIGHT.shades) == 0
    assert shade_of(1.1, LIGHT.shades) == len(LIGHT.shades) - 1
