import Foundation

/// The output: a component per line.
enum Table {
    static func head() { print("component                                 per second       µs each   of the bare cost") }

    /// - Parameter bare: seconds of the component's unavoidable part, for the ratio.
    static func row(_ name: String, _ seconds: Double, bare: Double? = nil) {
        let padded = name.padding(toLength: 40, withPad: " ", startingAt: 0)
        let share = bare.map { String(format: "%10.2f×", seconds / $0) } ?? ""
        print(padded, String(format: "%12.0f %13.1f", 1 / seconds, seconds * 1e6), share)
    }
}
