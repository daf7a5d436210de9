"""As much of Dagster as its documentation promises to an asset: what it is given, and the types of its metadata."""

import logging


class AssetExecutionContext:
    def __init__(self, run_id):
        self.run_id, self.log = run_id, logging.getLogger("dagster")


class MetadataValue:
    def __init__(self, value):
        self.value = value

    @classmethod
    def _of(cls, kind):
        def made(value):
            assert type(value) is kind, f"{value!r} is no {kind.__name__}"
            return cls(value)

        return staticmethod(made)


for _name, _kind in (("text", str), ("float", float), ("int", int)):
    setattr(MetadataValue, _name, MetadataValue._of(_kind))


class MaterializeResult:
    def __init__(self, *, value, metadata):
        assert all(isinstance(one, MetadataValue) for one in metadata.values()), metadata
        self.value, self.metadata = value, metadata

    def __class_getitem__(cls, _):
        return cls


def asset(function):
    return function
