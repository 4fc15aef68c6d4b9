"""Run the code on the pages of the documentation, and compare what it prints with what the pages show."""
