"""An operator of Airflow: a run over rows, with Airflow's retries coming back to the same run."""

from typing import Any

from airflow.models import BaseOperator  # pyright: ignore[reportMissingImports]

from assay import Assay

SETTINGS = ("item_id", "partition_key", "budget")


class AssayOperator(BaseOperator):
    template_fields = ("rows", "idempotency_key")

    def __init__(self, *, agent: str, rows: str, idempotency_key: str = "{{ run_id }}/{{ task.task_id }}", **kwargs: Any) -> None:
        self.settings = {name: kwargs.pop(name) for name in SETTINGS if name in kwargs}
        super().__init__(**kwargs)
        self.agent, self.rows, self.idempotency_key = agent, rows, idempotency_key

    def execute(self, context: Any) -> str:
        self.run = Assay().submit(self.agent, self.rows, idempotency_key=self.idempotency_key, **self.settings)
        if self.run.wait().status not in ("completed", "partial"):
            raise RuntimeError(f"{self.run}: assay why {self.run.id}")
        return self.run.id

    def on_kill(self) -> None:
        self.run.cancel()
