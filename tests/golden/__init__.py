"""The tables of every public function on a dozen frames, as they were when last agreed on."""
