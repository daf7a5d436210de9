"""An asset of Dagster: the results of a run over the rows of another asset."""

import pandas  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
from dagster import AssetExecutionContext, MaterializeResult, MetadataValue, asset  # pyright: ignore[reportMissingImports]

from assay import Assay


@asset
def claims(context: AssetExecutionContext, pages: pandas.DataFrame) -> MaterializeResult[pandas.DataFrame]:
    run = Assay().submit("claims", pages, item_id="id", budget="5.00", idempotency_key=context.run_id)
    context.log.info(f"assay watch {run.id}")
    results = run.wait().results().to_pandas()
    metadata = {
        "run": MetadataValue.text(run.id),
        "cost_usd": MetadataValue.float(run.cost_usd),
        "not_ok": MetadataValue.int(int((results["outcome_status"] != "ok").sum())),
    }
    return MaterializeResult(value=results, metadata=metadata)
