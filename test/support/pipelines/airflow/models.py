"""As much of Airflow's BaseOperator as its documentation promises to an operator: keyword arguments, template fields that are rendered
before execute, and on_kill. An argument that it does not know is a TypeError, as there."""


class BaseOperator:
    template_fields = ()

    def __init__(self, *, task_id, retries=0):
        self.task_id, self.retries = task_id, retries

    def run_as_task(self, **names):
        """Renders the template fields in place, as a worker does before each try, and returns what goes to XCom."""
        for field in self.template_fields:
            text = getattr(self, field)
            for name, value in {**names, "task.task_id": self.task_id}.items():
                text = text.replace("{{ %s }}" % name, value)
            assert "{{" not in text, text
            setattr(self, field, text)
        return self.execute({"task": self, **names})
