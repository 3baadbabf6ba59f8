"""The dialects of xrelay: `relay`, and the small ones that xDSL lacks."""
