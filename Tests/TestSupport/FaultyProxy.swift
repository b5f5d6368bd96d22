import Foundation

/// A proxy between a client and an HTTP server that breaks some of their exchanges, chosen by a seeded generator.
///
/// An exchange begins with the first bytes from the client, or its first bytes after an answer, so the client must not pipeline requests.
public final class FaultyProxy: Sendable {
    /// How long a client may take to end a connection that stalls.
    private static let timeout: Duration = .seconds(30)

    public var port: Int { relay.port }
    /// The exchanges so far.
    public var exchanges: Int { deck.withLock { $0.exchanges } }
    /// How often each fault was met.
    public var counts: [ExchangeFault: Int] { deck.withLock { $0.counts } }
    /// Stalls that the client did not end within 30 s, after which the connection was cut.
    public var endlessStalls: Int { endless.withLock { $0 } }
    private let relay: LoopbackRelay
    private let deck: SharedValue<FaultDeck>
    private let endless: SharedValue<Int>

    /// - Parameters:
    ///   - requestBytes: the usual size of a large request; faults are spread over it.
    ///   - target: the server's port.
    public init(seed: UInt64, requestBytes: Int, to target: @escaping @Sendable () -> Int?) throws {
        let (deck, endless) = (SharedValue(FaultDeck(seed: seed, requestBytes: requestBytes)), SharedValue(0))
        (self.deck, self.endless) = (deck, endless)
        relay = try LoopbackRelay(
            to: target, refuses: { false },
            handle: { pair in
                let line = FaultyLine(deck)
                let stall = { @Sendable in
                    guard !LoopbackSocket.awaitEnd(of: pair.client, within: Self.timeout) else { return }
                    endless.withLock { $0 += 1 }
                }
                pair.pump {
                    Self.passRequests($0, line, stall)
                } down: {
                    Self.passAnswers($0, line, stall)
                }
            },
            refuse: { _ in })
    }

    private static func passRequests(_ pair: RelayedPair, _ line: FaultyLine, _ stall: () -> Void) {
        while let chunk = LoopbackSocket.receive(from: pair.client) {
            guard let (fault, offset) = line.sending(chunk.count) else {
                guard LoopbackSocket.sendAll(chunk, to: pair.server) else { return }
                continue
            }
            guard LoopbackSocket.sendAll(Array(chunk.prefix(offset)), to: pair.server) else { return }
            switch fault {
            case .slowRequest:
                guard sendSlowly(Array(chunk.dropFirst(offset)), to: pair.server) else { return }
            case .stallRequest: return stall()
            default: return
            }
        }
    }

    private static func passAnswers(_ pair: RelayedPair, _ line: FaultyLine, _ stall: () -> Void) {
        while let chunk = LoopbackSocket.receive(from: pair.server) {
            switch line.answering() {
            case .cutAnswer:
                _ = LoopbackSocket.sendAll(Array(chunk.prefix(chunk.count / 2)), to: pair.client)
                return
            case .stallAnswer: return stall()
            case .some: return
            case .none:
                guard LoopbackSocket.sendAll(chunk, to: pair.client) else { return }
            }
        }
        // The server gives up first; the client must notice nothing of it.
        if line.isStalled { stall() }
    }

    /// Sends the first 8 KB at 6 KB/s.
    private static func sendSlowly(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while rest.startIndex < 8192, !rest.isEmpty {
            guard LoopbackSocket.sendAll(Array(rest.prefix(256)), to: descriptor) else { return false }
            rest = rest.dropFirst(256)
            Thread.sleep(forTimeInterval: 0.04)
        }
        return LoopbackSocket.sendAll(Array(rest), to: descriptor)
    }
}

/// One connection through the proxy, used by its two threads.
private final class FaultyLine: Sendable {
    private struct Exchange {
        var card: FaultDeck.Card?
        var requestBytes = 0
        var isAnswered = false
    }

    /// Whether nothing passes any more.
    var isStalled: Bool { stalled.withLock { $0 } }
    private let deck: SharedValue<FaultDeck>
    private let exchange = SharedValue<Exchange?>(nil)
    private let stalled = SharedValue(false)

    init(_ deck: SharedValue<FaultDeck>) { self.deck = deck }

    /// The client sends so many bytes.
    /// - Returns: the fault that is met among them, and how many pass before it.
    func sending(_ count: Int) -> FaultDeck.Card? {
        let met = exchange.withLock { exchange -> FaultDeck.Card? in
            var current = exchange.flatMap { $0.isAnswered ? nil : $0 } ?? Exchange(card: deck.withLock { $0.deal() })
            defer { exchange = current }
            let passed = current.requestBytes
            current.requestBytes += count
            guard let (fault, offset) = current.card, fault.isOfRequest, (passed..<passed + count).contains(offset) else { return nil }
            current.card = nil
            return (fault, offset - passed)
        }
        if let met { deck.withLock { $0.happened(met.fault) } }
        if met?.fault == .stallRequest { stalled.withLock { $0 = true } }
        return met
    }

    /// The server answers.
    /// - Returns: the fault that is met.
    func answering() -> ExchangeFault? {
        let met = exchange.withLock { exchange -> ExchangeFault? in
            exchange?.isAnswered = true
            defer { exchange?.card = nil }
            return exchange?.card.flatMap { $0.fault.isOfRequest ? nil : $0.fault }
        }
        if let met { deck.withLock { $0.happened(met) } }
        return met
    }
}

extension ExchangeFault {
    fileprivate var isOfRequest: Bool {
        switch self {
        case .cutRequest, .stallRequest, .slowRequest: true
        case .swallowAnswer, .cutAnswer, .stallAnswer: false
        }
    }
}
