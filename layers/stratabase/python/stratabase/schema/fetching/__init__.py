"""From a selection to what is fetched, and from what was found to what is answered."""
