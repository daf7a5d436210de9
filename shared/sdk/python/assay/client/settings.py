"""The settings that the client for ``async`` code hands on. Guarantee: they are those of :class:`Assay`, :class:`Run` and :class:`Pilot`,
name by name and type by type, which a test compares; so a checker of types finds a setting that there is not."""

from __future__ import annotations

from typing import Optional, Sequence, TypedDict

from .money import Amount


class BatchSettings(TypedDict, total=False):
    """Of :meth:`Assay.pilot`, without what an awaiting caller passes by itself."""

    item_id: Optional[str]
    partition_key: Optional[str]
    budget: Optional[Amount]
    name: Optional[str]
    tags: Sequence[str]
    concurrency: Optional[int]
    timeout_seconds: Optional[int]
    patience_seconds: Optional[int]
    callback_url: Optional[str]
    allow_unpriced: bool
    idempotency_key: Optional[str]
    by_content: bool


class SubmitSettings(BatchSettings, total=False):
    """Of :meth:`Assay.submit`."""

    pilot_items: Optional[int]


class RecoverySettings(TypedDict, total=False):
    """Of :meth:`Run.recover`."""

    action: str
    reason: Optional[str]
    cause: Optional[str]
    partition_key: Optional[str]
    all: bool
    first: Optional[int]
    budget: Optional[Amount]
    reuse: Optional[str]
    from_step: Optional[str]
    deployment: Optional[str]
    name: Optional[str]
