/// What ``FaultyProxy`` does to an exchange.
public enum ExchangeFault: Sendable, CaseIterable {
    /// The connection is cut within the request.
    case cutRequest
    /// From a point within the request nothing passes any more, until the client ends the connection.
    case stallRequest
    /// A part of the request passes at a few kilobytes per second.
    case slowRequest
    /// The server gets the whole request, and the connection is cut instead of an answer.
    case swallowAnswer
    /// The connection is cut within the answer.
    case cutAnswer
    /// The server gets the whole request, and nothing of the answer passes until the client ends the connection.
    case stallAnswer
}

/// Deals faults to three of five exchanges, but never to three in a row, each kind before any comes again.
struct FaultDeck: Sendable {
    /// A fault and the number of the request's bytes that pass before it.
    typealias Card = (fault: ExchangeFault, offset: Int)

    private(set) var exchanges = 0
    private(set) var counts: [ExchangeFault: Int] = [:]
    private let requestBytes: Int
    private var numbers: SeededGenerator
    private var kinds: [ExchangeFault] = []
    private var inARow = 0

    /// - Parameter requestBytes: the usual size of a large request.
    init(seed: UInt64, requestBytes: Int) {
        numbers = SeededGenerator(seed: seed)
        self.requestBytes = requestBytes
    }

    /// - Returns: the fault of the next exchange, if any.
    mutating func deal() -> Card? {
        exchanges += 1
        if kinds.isEmpty { kinds = ExchangeFault.allCases.shuffled(using: &numbers) }
        guard let kind = kinds.last, inARow < 2, Int.random(in: 0..<5, using: &numbers) < 3 else {
            inARow = 0
            return nil
        }
        inARow += 1
        // Every other time within the request's head.
        return (kind, Int.random(in: 0..<(Bool.random(using: &numbers) ? requestBytes : 600), using: &numbers))
    }

    /// The fault was met; it was not if the request was shorter than the offset or the client ended the connection before.
    mutating func happened(_ fault: ExchangeFault) {
        counts[fault, default: 0] += 1
        kinds.removeAll { $0 == fault }
    }
}
