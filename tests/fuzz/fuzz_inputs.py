"""Run the fuzzers of input for some minutes: PYTHONPATH=tests:tests/fuzz python tests/fuzz/fuzz_inputs.py --minutes 60

Each fuzzer gets the same time of the processor, so that fast ones try more. It prints how many inputs each of them
tried. An input that fails is printed with the seed of its run, and the exit code is 1. ``--only NAME --seed SEED`` runs
one of them again.
"""

import argparse
import sys
import time
import traceback
import warnings

from input_fuzzers import FUZZERS, run_quietly

EVERY = 300  # seconds a line says how far it is
FAILURES = 20  # that are printed: a fault in one place is found many times


def main() -> int:
    """Run the fuzzers in turn until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--only", choices=list(FUZZERS))
    parser.add_argument("--seed", help="one run, again")
    parser.add_argument("--start", type=int, default=1_000_000, help="the first seed; the tests use those from 0")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = [options.only] if options.only else list(FUZZERS)
    if options.seed is not None:
        run_quietly(names[0], options.seed)
        return 0
    for name in names:
        run_quietly(name, 0)  # compiled code is loaded
    inputs, runs, spent = (dict.fromkeys(names, 0) for _ in range(3))
    failures = 0
    now = time.monotonic()
    end, show = now + 60 * options.minutes, now + EVERY
    while (now := time.monotonic()) < end:
        if now > show:
            print(
                f"{sum(inputs.values()):,} inputs, {failures} failures, {(end - now) / 60:.0f} minutes left", flush=True
            )
            show = now + EVERY
        name = min(names, key=spent.__getitem__)
        seed = options.start + runs[name]
        before = time.process_time()
        try:
            inputs[name] += run_quietly(name, seed)
        except Exception:
            failures += 1
            if failures <= FAILURES:
                print(f"{name}, seed {seed}:\n{traceback.format_exc()}", flush=True)
        runs[name] += 1
        spent[name] += time.process_time() - before
    for name in names:
        print(f"{name:20} {inputs[name]:>10,} inputs in {runs[name]:>9,} runs, {spent[name]:6.0f} s of the processor")
    total, seconds = sum(inputs.values()), sum(spent.values())
    print(f"{total:,} inputs, {failures} failures, {60 * options.minutes:.0f} s, {seconds:.0f} s of the processor")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
