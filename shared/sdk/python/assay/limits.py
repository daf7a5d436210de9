"""Bounds of the protocol. Guarantee: the same as those of the server, which rules.test.ts compares."""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

PROTOCOL_VERSION: Final = "1"
NDJSON: Final = "application/x-ndjson"

LEASE_MS: Final = 25_000
HEARTBEAT_MS: Final = 5_000  # the protocol asks for one every 10 s
TIMEOUT_SECONDS: Final = 300
MOST_TIMEOUT_SECONDS: Final = 86_400
STEPS: Final = 200
MOST_STEPS: Final = 10_000
MOST_RETRIES: Final = 10
MOST_SCHEDULES: Final = 100
MOST_TRIGGERS: Final = 100
MOST_GENERATORS: Final = 100
MOST_MODELS: Final = 100
MOST_NAMED_LIMITS: Final = 10
NAME_CHARACTERS: Final = 256
SLUG_CHARACTERS: Final = 64
DESCRIPTION_CHARACTERS: Final = 4096
CRON_CHARACTERS: Final = 256
STEP_KEY_CHARACTERS: Final = 256
ERROR_CHARACTERS: Final = 2000
HOST_CHARACTERS: Final = 300
ITEM_INPUT_BYTES: Final = 1 * MIB
ITEM_OUTPUT_BYTES: Final = 1 * MIB
STEP_PAYLOAD_BYTES: Final = 256 * KIB
CUT_HEAD_BYTES: Final = 2 * KIB
OUTLINE_TEXT_CHARACTERS: Final = 2_000
OUTLINE_ENTRIES: Final = 20
OUTLINE_VALUES: Final = 1_000
OUTLINE_DEPTH: Final = 8
REPORTED_TEXT_CHARACTERS: Final = 64 * KIB
SEEN_ANSWERS: Final = 32
SEEN_ANSWER_BYTES: Final = 1_000_000
UPSTREAM_LOCAL_MS: Final = 5_000
UPSTREAM_REPORT_MS: Final = 250
GENERATOR_PIECE: Final = 65_536
ANSWER_PIECE: Final = 2 * MIB
ANSWER_RETRY_MS: Final = (500, 5_000)
WEBHOOK_TOLERANCE_S: Final = 300
PATIENCE_SECONDS: Final = (60, 2_592_000)
BODY_BYTES: Final = 512 * MIB  # 256 items of 1 MiB, with what earlier attempts recorded
# Of bodies whose sender is not known yet: what a process holds of them, and what of it is left for small ones
UNPROVEN_BYTES: Final = 288 * MIB
UNPROVEN_SPARE_BYTES: Final = 16 * MIB
SMALL_BODY_BYTES: Final = 64 * KIB
ARRIVAL_S: Final = 60  # for a signed body to arrive, proven or not
