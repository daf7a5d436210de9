// A small text classifier: multinomial logistic regression over words and pairs of neighbouring words.
// Guarantee: the same samples give the same weights, because nothing in the training is drawn at random.

export interface Sample {
  text: string
  category: string
}

export interface Classifier {
  categories: string[]
  /** The probability of each category, in the order of `categories`. */
  probabilities(text: string): Float64Array
}

const EPOCHS = 30
const LEARNING_RATE = 0.5
const DECAY = 2e-4 // pulls weights to zero, so that rare words do not decide alone

/** Trains a classifier on the samples; some 400 short texts take about 100 ms. */
export function train(samples: Sample[]): Classifier {
  const categories = [...new Set(samples.map(sample => sample.category))]
  const width = categories.length
  const columns = new Map<string, number>()
  const rows = samples.map(({ text, category }) => {
    const features = featuresOf(text).map(feature => {
      if (!columns.has(feature)) columns.set(feature, columns.size)
      return columns.get(feature)!
    })
    return { features, label: categories.indexOf(category) }
  })
  const weights = new Float64Array((columns.size + 1) * width) // the last row is the bias

  function score(features: number[]): Float64Array {
    const scores = weights.slice(columns.size * width)
    const scale = 1 / Math.sqrt(features.length || 1)
    for (const feature of features) {
      for (let k = 0; k < width; k++) scores[k]! += weights[feature * width + k]! * scale
    }
    return softmax(scores)
  }

  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = LEARNING_RATE / (1 + epoch / 10)
    // The file groups samples by category: a stride visits them in a mixed but fixed order.
    for (let n = 0; n < rows.length; n++) {
      const { features, label } = rows[(n * 181 + epoch * 17) % rows.length]!
      const scale = 1 / Math.sqrt(features.length || 1)
      const gradient = score(features)
      gradient[label]! -= 1
      for (let k = 0; k < width; k++) weights[columns.size * width + k]! -= 0.1 * rate * gradient[k]!
      for (const feature of features) {
        for (let k = 0; k < width; k++) {
          const at = feature * width + k
          weights[at]! -= rate * (gradient[k]! * scale + DECAY * weights[at]!)
        }
      }
    }
  }

  return {
    categories,
    probabilities: text => score(featuresOf(text).flatMap(feature => columns.get(feature) ?? [])),
  }
}

function softmax(scores: Float64Array): Float64Array {
  const highest = Math.max(...scores)
  const powers = scores.map(score => Math.exp(score - highest))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map(power => power / sum)
}

const FILLERS = new Set(
  'the a an i is it to my me of you and do for in on can please have has was be there am'.split(' '),
)

/** Stems of the words, without the most frequent words, and the pairs of neighbouring stems. */
function featuresOf(text: string): string[] {
  const words = (
    text
      .toLowerCase()
      .replace(/['’]/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter(word => !FILLERS.has(word))
    .map(stem)
  const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`)
  return [...new Set([...words, ...pairs])]
}

function stem(word: string): string {
  if (word.length < 5) return word.replace(/^(\w{3,})s$/, '$1')
  return word.replace(/(ations?|ing|ies|ied|ed|es|s|e|ly)$/, '').replace(/(.)\1$/, '$1')
}
