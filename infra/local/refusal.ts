// A start that cannot go on for a reason a person can mend: printed as its message alone, without a stack.

export class Refusal extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'Refusal'
    this.code = code
  }
}
