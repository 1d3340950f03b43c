"""The examples of the gallery run, and the page is made from them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("matplotlib", reason="bough-trees[plot] is not installed")
spec = importlib.util.spec_from_file_location("gallery", ROOT / "tools" / "gallery.py")
gallery = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gallery)


@pytest.mark.parametrize("name", gallery.ORDER)
def test_an_example_draws_a_figure(name):
    figure = gallery.figure_of(name)
    assert any(ax.has_data() or ax.texts for ax in figure.axes)
    gallery.plt.close(figure)


def test_the_gallery_shows_every_example_once_and_is_up_to_date():
    assert sorted(gallery.ORDER) == sorted(p.stem for p in (ROOT / "examples").glob("*.py"))
    assert gallery.page() == (ROOT / "docs" / "gallery.md").read_text()
    assert all((gallery.PICTURES / f"{name}.png").exists() for name in gallery.ORDER)
