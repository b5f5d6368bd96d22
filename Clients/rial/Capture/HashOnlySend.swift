public import ArgumentParser
import CaptureKit
public import CaptureProtocol
import Foundation
import Models
import RialClient

/// What is sent of a capture in privacy mode (SPEC §9).
struct HashOnlyOptions: ParsableArguments {
    @Flag(help: "Send a hash, the depth's measurements and the shared metadata instead of photo or video and depth.")
    var hashOnly = false
    @Option(help: "The place that --hash-only shares: none, coarse or precise.")
    var shareLocation = MetadataFlags.Location.coarse
    @Option(help: "The time that --hash-only shares: none, day or exact.")
    var shareTime = TimePrecision.exact
    @Option(help: "What --hash-only shares of the device: none, model or full.")
    var shareDevice = MetadataFlags.Device.model

    var flags: MetadataFlags { MetadataFlags(location: shareLocation, timestamp: shareTime, device: shareDevice) }
}

extension MetadataFlags.Location: ExpressibleByArgument {}
extension MetadataFlags.Device: ExpressibleByArgument {}
extension TimePrecision: ExpressibleByArgument {}

/// Sends a photo's hash with the measurements of its depth, directly and not through the queue. Photo and depth map stay where they are.
struct HashOnlySend {
    let client: APIClient
    let session: DeviceSession

    /// - Throws: ``CommandFailure`` for a photo or a depth map that cannot be read.
    func send(
        photo: URL, depth: DepthFile, facts: HashOnlyPayload.Facts, sharing flags: MetadataFlags
    ) async throws -> AcceptedCapture {
        guard let data = FileManager.default.contents(atPath: photo.path) else {
            throw CommandFailure("The photo \(photo.path) cannot be read.")
        }
        let bytes = Array(data)
        let payload = HashOnlyPayload(
            mediaHash: ContentDigest(of: bytes), facts: facts, sharing: flags, depth: try measurements(depth, of: bytes).signed)
        let signed: [UInt8]
        do {
            signed = try payload.bytes()
        } catch {
            throw CommandFailure("The capture cannot be described: \(error)")
        }
        let assertion = try await session.assertion(clientDataHash: HashOnlyClientData.hash(payload: signed).bytes)
        return try await client.send(HashOnlyBody(payload: signed, assertion: assertion), signer: session)
    }

    /// Measures in the same way as `depth-analyzer`.
    private func measurements(_ depth: DepthFile, of photo: [UInt8]) throws -> DepthMeasurements {
        PhotoDepth.measurements(of: try depth.map(), photo: photo)
    }
}
