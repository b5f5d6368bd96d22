import Foundation
import TestSupport
import Testing

/// A phone that captures and sends over a bad network, while its processes and the gateway are killed at random moments.
struct QueueSoak: Sendable, CustomStringConvertible {
    struct Size: Sendable {
        let captures: Int
        /// Of processes that add or send, half of them each.
        let kills: Int
        let gatewayKills: Int
    }

    /// How long a sender waits for a byte.
    private static let idleSeconds = 5

    let phone: Phone
    let proxy: FaultyProxy
    private let size: Size
    private let seed: UInt64
    private let course = Course()

    /// - Parameter seed: decides when processes are killed and which exchanges are broken; `RIAL_TEST_SEED` replaces it.
    init(_ size: Size, seed: UInt64 = .random(in: 0..<1_000_000)) async throws {
        self.size = size
        self.seed = ProcessInfo.processInfo.environment["RIAL_TEST_SEED"].flatMap { UInt64($0) } ?? seed
        phone = try await Phone()
        let gateway = try #require(URLComponents(string: phone.stack.url)?.port)
        proxy = try FaultyProxy(seed: self.seed, requestBytes: 250_000) { gateway }
    }

    var description: String { "RIAL_TEST_SEED=\(seed)" }

    /// Adds and sends all captures.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await killGateway() }
            group.addTask { try await add() }
            group.addTask { try await send() }
            group.addTask { try await watchStore() }
            try await group.waitForAll()
        }
    }

    /// What happened, for the log.
    func report() async -> String {
        let faults = ExchangeFault.allCases.map { "\($0) \(proxy.counts[$0] ?? 0)" }.joined(separator: ", ")
        let (adders, senders, looks) = await (course.adderKills, course.senderKills, course.looks)
        return """
            \(self): \(size.captures) captures; killed \(adders) adders, \(senders) senders, \(size.gatewayKills) gateways; \
            \(proxy.exchanges) exchanges: \(faults); \(looks) looks at the store
            """
    }

    /// The processes that were killed while they added or sent.
    var kills: Int { get async { await course.adderKills + course.senderKills } }

    private var ofEach: Int { size.kills / 2 }

    private func command(_ arguments: [String]) -> MortalCommand {
        MortalCommand(
            program: Phone.program, arguments: arguments + ["--store", phone.folder.path + "/phone"], settings: phone.stack.addresses)
    }

    // The parts

    private func add() async throws {
        var numbers = SeededGenerator(seed: seed &+ 1)
        let start = ContinuousClock.now
        _ = try await phone.add()
        let usual = ContinuousClock.now - start
        var added = 1
        while added < size.captures {
            let isToDie = await course.adderKills < ofEach && Bool.random(using: &numbers)
            let delay = isToDie ? usual * Double.random(in: 0.05...1, using: &numbers) : nil
            let end = try await command(phone.addition).run(killedAfter: delay)
            if end.wasKilled {
                await course.adderDied()
                added = try await phone.captures().count
            } else {
                try #require(end.status == 0, "\(self): \(end.output)")
                added += 1
            }
        }
        await course.allAdded()
    }

    private func send() async throws {
        var numbers = SeededGenerator(seed: seed &+ 2)
        let run = ["queue", "run", "--url", "http://127.0.0.1:\(proxy.port)", "--idle-timeout", "\(Self.idleSeconds)"]
        while true {
            let (isAdded, adders, senders) = await (course.isAdded, course.adderKills, course.senderKills)
            if senders < ofEach || isAdded && adders + senders < size.kills {
                let end = try await command(run).run(killedAfter: .seconds(Double.random(in: 0.1...5, using: &numbers)))
                try #require(end.wasKilled, "\(self): \(end.output)")
                await course.senderDied()
            } else {
                let end = try await command(run + ["--until-empty"]).run(killedAfter: nil)
                try #require(end.status == 0, "\(self): \(end.output)")
                if isAdded { return await course.allSent() }
            }
        }
    }

    /// Kills the gateway at random numbers of exchanges, of which there is at least one for each capture.
    private func killGateway() async throws {
        var numbers = SeededGenerator(seed: seed &+ 3)
        for exchanges in (2..<size.captures).shuffled(using: &numbers).prefix(size.gatewayKills).sorted() {
            try await eventually(within: .seconds(600), "\(self): exchange \(exchanges)") { proxy.exchanges >= exchanges }
            try await phone.stack.control("kill", "gateway")
            try await phone.stack.control("start", "gateway")
        }
    }

    /// Looks at the files while they are written and read.
    private func watchStore() async throws {
        let pieces = try phone.plainPieces()
        while await !course.isSent {
            #expect(phone.files(holdingOneOf: pieces) == [], "\(self)")
            await course.looked()
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}

/// How far the parts of a soak are.
private actor Course {
    private(set) var adderKills = 0
    private(set) var senderKills = 0
    private(set) var looks = 0
    private(set) var isAdded = false
    private(set) var isSent = false

    func adderDied() { adderKills += 1 }
    func senderDied() { senderKills += 1 }
    func looked() { looks += 1 }
    func allAdded() { isAdded = true }
    func allSent() { isSent = true }
}

extension Phone {
    /// The files of the store that hold one of the pieces now.
    func files(holdingOneOf pieces: [[UInt8]]) -> [String] {
        let root = folder.path + "/phone/store"
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            guard let bytes = FileManager.default.contents(atPath: root + "/" + name) else { return false }
            return pieces.contains { bytes.holds($0) }
        }
    }
}

extension Data {
    /// Whether the bytes are somewhere in it. Searching collections takes seconds in a debug build.
    fileprivate func holds(_ piece: [UInt8]) -> Bool {
        withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while rest.count >= piece.count, let start = rest.baseAddress, let first = piece.first,
                let found = memchr(start, Int32(first), rest.count - piece.count + 1)
            {
                if memcmp(found, piece, piece.count) == 0 { return true }
                rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(found) - start + 1)...])
            }
            return false
        }
    }
}
