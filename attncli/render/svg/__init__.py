"""Pictures as SVG.

elements   the elements that pictures are made of, with nothing in them that XML would obey
style      the colours of a light and of a dark page
heat_map   weights of attention, each cell the darker the larger it is
arrows     who attends to whom
"""
