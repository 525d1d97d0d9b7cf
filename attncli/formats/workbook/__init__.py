"""A live workbook: what stands on its sheets, and where each number of a formula stands."""
