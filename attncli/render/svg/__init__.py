"""Pictures as SVG.

drawing    every picture
elements   the elements that pictures are made of, with nothing in them that XML would obey
style      the looks, and the colours of a light and of a dark page
on_paper   how large a picture is drawn there
in_words   what pictures say for those who don't see them
heat_map   weights of attention, each cell the darker the larger it is
heat_maps  several of these, also of numbers below 0
arrows     who attends to whom
bars       sizes
curves     numbers along an axis
axes       ticks
plane      vectors of two dimensions
diagram    boxes and links; layout has their places, routes the ways of the links
boxes      rectangles that mustn't overlap
"""
