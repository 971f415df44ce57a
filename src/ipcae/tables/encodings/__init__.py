"""What the columns of a table contain, and how they become numbers."""
