"""Reads QTI 2.1 packages as the specification has them, and marks their items.

Written from what is published, the schema imsqti_v2p1.xsd (Final Release, 31st July 2012) and the
information model, and from that alone: it shares no code with the package.

    schema    the content of each element that we use, its attributes and their types
    package   the manifest, the test and the items, and whether they fit each other
    marking   what response processing gives for answers
"""

from tests.classroom.qti.marking import Marked, mark
from tests.classroom.qti.package import Package, opened

__all__ = ["Marked", "Package", "mark", "opened"]
