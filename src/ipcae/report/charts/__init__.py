"""Charts as SVG, and images as data URIs."""
