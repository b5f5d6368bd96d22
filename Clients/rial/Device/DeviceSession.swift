import CaptureKit
import CaptureProtocol
import Foundation
import SimulatedDevice

/// A registered device that signs requests and captures. It never uses a counter twice.
actor DeviceSession: RequestSigner {
    private var state: DeviceState
    /// The file that stores the counter; `nil` for a device that is used only by this process.
    private let file: StateFile<DeviceState>?
    private let signatureVersion: Int

    init(_ state: DeviceState, signatureVersion: Int = 2) {
        self.state = state
        self.signatureVersion = signatureVersion
        file = nil
    }

    /// - Throws: ``CommandFailure`` if the file contains no device.
    init(file: StateFile<DeviceState>, signatureVersion: Int = 2) throws {
        guard let state = try file.load() else {
            throw CommandFailure("There is no device in \(file.url.path): run `rial device register` first.")
        }
        self.state = state
        self.file = file
        self.signatureVersion = signatureVersion
    }

    var model: String { state.device.model }
    var id: DeviceID { state.deviceID }

    func assertion(clientDataHash: [UInt8]) throws -> [UInt8] {
        try change { try $0.device.assertion(clientDataHash: clientDataHash) }
    }

    func headers(method: String, target: String, bodyDigest: ContentDigest, at time: Date) throws -> [(name: String, value: String)] {
        try change { [signatureVersion] state in
            try state.device.requestHeaders(
                method: method, path: target, bodyDigest: bodyDigest, at: time, version: signatureVersion)
        }
    }

    /// Changes the state in the file, if there is one: another process may have used counters in the meantime.
    private func change<Result>(_ body: (inout DeviceState) throws -> Result) throws -> Result {
        guard let file else { return try body(&state) }
        return try file.update(body)
    }
}
