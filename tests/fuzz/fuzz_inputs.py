"""Run the fuzzers of input for some minutes: PYTHONPATH=tests:tests/fuzz python tests/fuzz/fuzz_inputs.py --minutes 60

It prints how many inputs each fuzzer tried. An input that fails is printed with its seed, and the exit code is 1.
``--only NAME --seed SEED`` runs one input again.
"""

import argparse
import random
import sys
import time
import traceback
import warnings

from input_fuzzers import FUZZERS, SLOWER, run_quietly


def main() -> int:
    """Run the fuzzers in turn until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--only", choices=list(FUZZERS))
    parser.add_argument("--seed", help="one input, again")
    parser.add_argument("--start", type=int, default=1_000_000, help="the first seed; the tests use those from 0")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [options.only] if options.only else list(FUZZERS)
    if options.seed is not None:
        run_quietly(FUZZERS[names[0]], random.Random(f"{names[0]} {options.seed}"))
        return 0
    counts, failures = dict.fromkeys(names, 0), 0
    end, seed = time.monotonic() + 60 * options.minutes, options.start
    while time.monotonic() < end:
        for name in names:
            if seed % SLOWER.get(name, 1):
                continue
            counts[name] += 1
            try:
                run_quietly(FUZZERS[name], random.Random(f"{name} {seed}"))
            except Exception:
                failures += 1
                print(f"{name}, seed {seed}:\n{traceback.format_exc()}", flush=True)
        seed += 1
    print(f"{sum(counts.values()):,} inputs, {failures} failures: {counts}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
