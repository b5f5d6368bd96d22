package import CaptureProtocol
package import Foundation

/// When a capture was made, with the precision that was shared.
package enum CapturedTime: Sendable, Equatable {
    case exact(Date)
    case day(Date)

    var date: Date {
        switch self {
        case .exact(let date), .day(let date): date
        }
    }

    /// For a hash-only capture, midnight UTC means that only the day was shared.
    package init(_ date: Date, kind: CaptureKind) {
        let isMidnight = date.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400) == 0
        self = kind == .hashOnly && isMidnight ? .day(date) : .exact(date)
    }
}
