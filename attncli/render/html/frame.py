"""A page inside another one, such as a notebook's, in a frame of its own: neither knows the styles
and the script of the other."""

from __future__ import annotations

from attncli.render.html.style import escaped

_ROOM = "main { padding-bottom: 8rem; }"
"""Below the last number, for where it comes from: a share of the frame's height, which follows
from that of the page, would grow on and on."""
_ALONE = "nav.contents { display: none; } body { display: block; padding: 0 1rem; }"
_TELL = """<script>
new ResizeObserver(() => parent.postMessage({ attncli: document.body.offsetHeight }, "*"))
  .observe(document.body);
</script>
"""
_HEAR = """<script>
addEventListener("message", ({ source, data }) => {
  for (const frame of document.querySelectorAll("iframe.attncli")) {
    if (frame.contentWindow !== source || !Number.isFinite(data?.attncli)) continue;
    frame.style.height = `${Math.min(data.attncli + 4, 640)}px`;
  }
});
</script>
"""
"""A page is as high as it needs, up to a screen; where scripts don't run it stays as it is."""


def framed(page: str, *, whole: bool) -> str:
    """A page in a frame; one that isn't `whole` goes without its contents."""
    style = f"<style>{_ROOM}{'' if whole else _ALONE}</style>\n"
    head, mark, body = page.partition("</head>")
    inside, end, after = body.rpartition("</body>")
    source = escaped(f"{head}{style}{mark}{inside}{_TELL}{end}{after}")
    look = "width: 100%; height: 30rem; border: 0; resize: vertical; overflow: auto"
    return (
        f'<iframe class="attncli" sandbox="allow-scripts" title="The working" style="{look}" '
        f'srcdoc="{source}"></iframe>\n{_HEAR}'
    )
