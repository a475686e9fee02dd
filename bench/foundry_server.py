"""A relay with a world of sixty bound actors and sixty others, in a process of its own; it ends when its input does."""

from __future__ import annotations

import json
import sys

from rallypoint_foundry.fake.serving import served

from .foundry import Ground


def main() -> None:
    ground = Ground()
    others = [f"Actor.{ground.world.create('Actor', {'name': uid, 'type': 'base'})['_id']}" for uid in ground.uids]
    with served(ground.fake) as base:
        print(json.dumps({"base": base, "key": ground.key, "others": others}), flush=True)
        sys.stdin.read()


main()
