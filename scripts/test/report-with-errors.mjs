import { JsonReporter } from 'vitest/node'

/** Vitest's JSON report with the number of errors outside every test, which it leaves out. */
export default class ReportWithErrors extends JsonReporter {
  #strayErrors = 0

  /**
   * @override
   * @param {Parameters<JsonReporter['onTestRunEnd']>[0]} modules
   * @param {readonly unknown[]} errors
   */
  async onTestRunEnd(modules, errors = []) {
    this.#strayErrors = errors.length
    await super.onTestRunEnd(modules)
  }

  /**
   * @override
   * @param {string} report
   */
  async writeReport(report) {
    await super.writeReport(JSON.stringify({ ...JSON.parse(report), strayErrors: this.#strayErrors }))
  }
}
