import Foundation

/// A proxy between a client and several servers in turn that cuts each connection after a random number of the client's bytes.
public final class CuttingProxy: Sendable {
    public var port: Int { relay.port }
    /// The connections that were cut.
    public var cuts: Int { course.withLock { $0.cuts } }
    /// What passed from the client to the servers.
    public var passedBytes: Int { course.withLock { $0.passedBytes } }
    private let relay: LoopbackRelay
    private let course: SharedValue<Course>

    private struct Course {
        var numbers: SeededGenerator
        var cuts = 0
        var passedBytes = 0
    }

    /// - Parameters:
    ///   - lengths: how many bytes pass before a cut.
    ///   - target: the port of the server whose turn it is.
    ///   - beforeCut: called with the number of the cut, from 1, once the server has been sent the bytes before it.
    public init(
        seed: UInt64, lengths: ClosedRange<Int>, to target: @escaping @Sendable () -> Int?, beforeCut: @escaping @Sendable (Int) -> Void
    ) throws {
        let course = SharedValue(Course(numbers: SeededGenerator(seed: seed)))
        self.course = course
        relay = try LoopbackRelay(
            to: target, refuses: { false },
            handle: { pair in
                let length = course.withLock { Int.random(in: lengths, using: &$0.numbers) }
                pair.pump {
                    Self.passRequests($0, length, course, beforeCut)
                } down: {
                    Self.passAnswers($0)
                }
            },
            refuse: { _ in })
    }

    private static func passRequests(
        _ pair: RelayedPair, _ length: Int, _ course: SharedValue<Course>, _ beforeCut: (Int) -> Void
    ) {
        var left = length
        while let chunk = LoopbackSocket.receive(from: pair.client) {
            let passing = Array(chunk.prefix(left))
            guard LoopbackSocket.sendAll(passing, to: pair.server) else { return }
            left -= passing.count
            let cut = course.withLock { course -> Int? in
                course.passedBytes += passing.count
                course.cuts += left == 0 ? 1 : 0
                return left == 0 ? course.cuts : nil
            }
            if let cut { return beforeCut(cut) }
        }
    }

    private static func passAnswers(_ pair: RelayedPair) {
        while let chunk = LoopbackSocket.receive(from: pair.server), LoopbackSocket.sendAll(chunk, to: pair.client) {}
    }
}
