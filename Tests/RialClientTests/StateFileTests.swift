import CaptureProtocol
import Foundation
import RialClient
import SimulatedDevice
import Testing

@testable import RialCLI

@Suite("State file")
struct StateFileTests {
    /// In a folder that does not exist yet, so that its creation is tested too.
    private func withFile<Value>(_ type: Value.Type, _ body: (StateFile<Value>) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(StateFile(path: folder.appendingPathComponent("deeper/device.json").path))
    }

    private func device() -> DeviceState {
        var device = SimulatedDevice(model: "iPhone 15 Pro", requestKey: .ed25519)
        let id = DeviceID()
        device.deviceID = id.description
        return DeviceState(
            deviceID: id, attestationLevel: .secureEnclave, attestationFailure: nil, hasLiDAR: true, device: device)
    }

    @Test("gives a device back with its keys and its counter")
    func roundTrip() async throws {
        try await withFile(DeviceState.self) { file in
            #expect(try file.load() == nil)
            var state = device()
            _ = try state.device.assertion(clientDataHash: Array(repeating: 1, count: 32))
            try file.save(state)
            let read = try #require(try file.load())
            #expect(read.deviceID == state.deviceID)
            #expect(try read.device.keyID == state.device.keyID)
            #expect(try read.device.requestPublicKey == state.device.requestPublicKey)
            #expect(read.device.counter == 1)
        }
    }

    @Test("is readable by its owner only, and leaves no temporary file")
    func permissions() async throws {
        try await withFile([Int].self) { file in
            try file.save([1])
            try file.save([1, 2])
            let attributes = try FileManager.default.attributesOfItem(atPath: file.url.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let names = try FileManager.default.contentsOfDirectory(atPath: file.url.deletingLastPathComponent().path)
            #expect(names == ["device.json"])
        }
    }

    @Test("loses no change when many are made at once")
    func updatesAtOnce() async throws {
        try await withFile([Int].self) { file in
            try file.save([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 { group.addTask { try file.update { $0.append(number) } } }
                try await group.waitForAll()
            }
            #expect(try file.load()?.sorted() == Array(0..<40))
        }
    }

    @Test("never gives one counter to two sessions of one file")
    func countersOfTwoSessions() async throws {
        try await withFile(DeviceState.self) { file in
            try file.save(device())
            let sessions = [try DeviceSession(file: file), try DeviceSession(file: file)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { _ = try await sessions[number % 2].assertion(clientDataHash: Array(repeating: 2, count: 32)) }
                }
                try await group.waitForAll()
            }
            #expect(try file.load()?.device.counter == 20)
        }
    }

    @Test("refuses a file that holds something else", arguments: ["", "{}", "[1", "\u{0}"])
    func refusesOther(text: String) async throws {
        try await withFile(DeviceState.self) { file in
            try FileManager.default.createDirectory(at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file.url)
            #expect(throws: CommandFailure.self) { try file.load() }
        }
    }
}
