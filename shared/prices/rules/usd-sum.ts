// Adds up dollars. Apart from how amounts are written, which scripts of pages that add nothing up would load.

/** A sum of dollars to the millionth, as costs are counted: without the noise of binary fractions. @example usdSum(0.1 + 0.2) // 0.3 */
export const usdSum = (dollars: number): number => Math.floor(dollars * 1e6 + 0.5) / 1e6
