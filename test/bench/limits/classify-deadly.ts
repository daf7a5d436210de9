// The same, but an item whose text says so ends its process, a moment after its call and those of others went out.

import { agent, type Context } from 'assay'
import Classify from './classify.ts'

const MOMENT_MS = 300

@agent({ name: 'Classify deadly', retries: 2, network: ['$OPENAI_BASE_URL'] })
export default class ClassifyDeadly extends Classify {
  override async run(ctx: Context, question: { id: string; text: string }) {
    if (question.text.includes('poison')) {
      await new Promise(resolve => setTimeout(resolve, MOMENT_MS))
      ;(globalThis as { process?: { exit(code: number): void } }).process!.exit(3)
    }
    return super.run(ctx, question)
  }
}
