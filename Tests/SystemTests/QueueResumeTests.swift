import CaptureProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

extension SystemTests {
    /// Large captures of the device library, where no connection lasts. Long with `RIAL_TEST_FAULTS=full`: 20 MB, and kills more often.
    @Suite("The device library's uploads that resume")
    struct QueueResume {
        /// About.
        private static let photoBytes = FaultTests.isFull ? 20_000_000 : 5_000_000

        @Test(
            "a capture that is cut about every 500 kB is sent once by two gateways in turn, though they are killed",
            .timeLimit(.minutes(8)),
            arguments: [false, true])
        func cuts(kills: Bool) async throws {
            let phone = try await Phone()
            let seed = ProcessInfo.processInfo.environment["RIAL_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
            let gateways = GatewaysInTurn(stack: phone.stack, numbers: [6, 7])
            let proxy = try CuttingProxy(seed: seed, lengths: 200_000...800_000, to: { gateways.next() }) { cut in
                if kills, cut.isMultiple(of: 3) { gateways.killCurrent() }
            }
            try await gateways.start(publicURL: "http://127.0.0.1:\(proxy.port)")
            let photo = try largePhoto(phone)
            try await phone.add(photo: photo)

            let watch = try Watching(phone)
            defer { watch.end() }
            let start = ContinuousClock.now
            try await phone.rial("queue", "run", "--until-empty", "--url", "http://127.0.0.1:\(proxy.port)", "--idle-timeout", "10")
            let report =
                "RIAL_TEST_SEED=\(seed): \(proxy.cuts) cuts, \(gateways.kills) kills, \(proxy.passedBytes) bytes passed, "
                + "\(ContinuousClock.now - start)"
            print(report)

            let sent = try #require(try await phone.captures().first)
            #expect(sent.state == "uploaded" && sent.failure == nil, "\(report)")
            // Less would be no test of it.
            #expect(proxy.cuts >= sent.bytes / 800_000 && (gateways.kills > 0) == kills, "\(report)")
            // The heads of all requests are among it.
            let twice = proxy.passedBytes - sent.bytes
            #expect(twice <= FaultTests.resent(of: sent.bytes, cuts: proxy.cuts, kills: gateways.kills), "\(report): \(twice) twice")
            try await eventually("watch tells where it went on: \(report)") {
                try watch.output.contains("resumed at ")
            }

            try await phone.expectOnceEach()
            let out = phone.folder.path + "/out"
            try await phone.rial("queue", "export", sent.id, "--out", out)
            let digest = ContentDigest(of: try Data(contentsOf: URL(fileURLWithPath: out + "/photo.jpg")))
            let id = try #require(sent.capture_id)
            let answer = try await TestClient(url: phone.stack.url).settled(id, within: .seconds(180))
            #expect(answer.data["media_hash"] as? String == digest.hex && answer.data["status"] as? String == "complete", "\(report)")
            try await gateways.stop()
            #expect(gateways.failures == [])
        }

        @Test("a phone that is killed while it sends goes on in its next process, to the address that it kept", .timeLimit(.minutes(6)))
        func killedPhone() async throws {
            let phone = try await Phone()
            let stack = phone.stack
            try await phone.add(photo: try largePhoto(phone))
            for point in ["queue.upload-answered", "queue.upload-kept"] {
                try phone.arm(point)
                await #expect(throws: LocalStack.CommandFailed.self) { try await phone.run() }
            }
            let device = try await phone.device()
            let open = "SELECT count(*) FROM uploads WHERE state = 'open' AND device_id = '\(device)'"
            #expect(try await stack.sql(open) == ["1"], "the second process found what the first one made")
            try await phone.run()
            #expect(try await stack.sql(open) == ["0"])
            #expect(try await phone.captures().map(\.state) == ["uploaded"])
            try await phone.expectOnceEach()
        }

        /// A photo of a room, made large by quantisation tables that it does not use: they belong to the picture and are kept.
        private func largePhoto(_ phone: Phone) throws -> String {
            let photo = try phone.scenePhoto()
            let tables = try #require(photo.firstRange(of: [0xFF, 0xDB])).lowerBound
            // A thousand tables in a segment of ITU-T T.81 §B.2.4.1, number 3 with 64 values of a byte each.
            let length = 2 + 1000 * 65
            let noise = HostileBytes.noise(Self.photoBytes)
            var segments: [UInt8] = []
            while segments.count < Self.photoBytes - photo.count - length {
                segments += [0xFF, 0xDB, UInt8(length >> 8), UInt8(length & 0xFF)]
                let from = segments.count
                for table in 0..<1000 { segments += [3] + noise[(from + table * 64)..<(from + table * 64 + 64)] }
            }
            let path = phone.folder.path + "/large.jpg"
            try Data(photo[..<tables] + segments + photo[tables...]).write(to: URL(fileURLWithPath: path))
            return path
        }
    }
}

/// Gateways of one stack that take connections in turn, each killed and started again now and then.
final class GatewaysInTurn: Sendable {
    private struct State {
        var ports: [Int: Int] = [:]
        var turn = 0
        var current: Int?
        var kills = 0
        var failures: [String] = []
        var publicURL = ""
    }

    private let stack: LocalStack
    private let numbers: [Int]
    private let state = Mutex(State())
    /// Lets one be killed only when the others run.
    private let oneAtATime = DispatchSemaphore(value: 1)

    init(stack: LocalStack, numbers: [Int]) {
        self.stack = stack
        self.numbers = numbers
    }

    var kills: Int { state.withLock { $0.kills } }
    /// Why one could not be killed or started.
    var failures: [String] { state.withLock { $0.failures } }

    func start(publicURL: String) async throws {
        state.withLock { $0.publicURL = publicURL }
        for number in numbers { try await start(number) }
    }

    /// Stops all of them; one that was killed has started again before, and none is killed from now on.
    func stop() async throws {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.oneAtATime.wait()
                self.state.withLock { $0.ports = [:] }
                self.oneAtATime.signal()
                continuation.resume()
            }
        }
        for number in numbers { try await stack.control("stop", "gateway", number) }
    }

    /// The port of the next one that runs.
    func next() -> Int? {
        state.withLock { state in
            for _ in numbers {
                state.turn += 1
                let number = numbers[state.turn % numbers.count]
                guard let port = state.ports[number] else { continue }
                state.current = number
                return port
            }
            return nil
        }
    }

    /// Kills the one that took the latest connection, and starts it again. Blocks the calling thread.
    func killCurrent() {
        oneAtATime.wait()
        defer { oneAtATime.signal() }
        let killed = state.withLock { state -> Int? in
            guard let current = state.current, state.ports.removeValue(forKey: current) != nil else { return nil }
            state.kills += 1
            return current
        }
        guard let killed else { return }
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                try await self.stack.control("kill", "gateway", killed)
                try await self.start(killed)
            } catch {
                self.state.withLock { $0.failures.append("gateway \(killed): \(error)") }
            }
            isDone.signal()
        }
        isDone.wait()
    }

    private func start(_ number: Int) async throws {
        let client = try await stack.startGateway(number, settings: ["RIAL_PUBLIC_URL": state.withLock { $0.publicURL }])
        let port = Int(try client.port)
        state.withLock { $0.ports[number] = port }
    }
}

/// `rial queue watch` beside what it watches.
private struct Watching {
    private let process: Process
    private let file: URL

    init(_ phone: Phone) throws {
        file = phone.folder.appendingPathComponent("watch.out")
        try Data().write(to: file)
        let arguments = ["queue", "watch", "--store", phone.folder.path + "/phone"]
        process = LocalStack.process(Phone.program, arguments, phone.stack.addresses, output: try FileHandle(forWritingTo: file))
        try process.run()
    }

    var output: String { get throws { try String(contentsOf: file, encoding: .utf8) } }

    func end() {
        _ = kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
