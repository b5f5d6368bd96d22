import ArgumentParser
import CaptureProtocol
import Foundation
import Models
import RialClient

struct CaptureSend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Sends a photo with its depth map.",
        discussion: """
            A depth map in a .f32 file is raw little-endian float32, and is compressed; any other file is sent as it is (gzip, zlib \
            or raw DEFLATE). It goes through the store and queue of the device library; with another binding or signature version \
            it is sent as it is. With --hash-only neither photo nor depth map is sent. Time and model default to those in the photo's EXIF, else to now and the device's model. If the state \
            file holds no device, one is registered first.
            """)

    @OptionGroup var files: PhotoFileOptions
    @Option(help: "When it was taken, RFC 3339.")
    var capturedAt: RFC3339Time?
    @Option(help: "The model that took it.")
    var model: String?
    @Option(help: "Version of the request's signature: 1 or 2.")
    var signatureVersion = 2
    @Option(help: "What the assertion covers: v2 (photo, depth and metadata), photo+depth, photo, or none.")
    var binding = BindingChoice.v2
    @Flag(help: "Send no assertion, like --binding none.")
    var noAssertion = false
    @OptionGroup var shown: AcceptedOptions
    @OptionGroup var hashOnlyOptions: HashOnlyOptions
    @OptionGroup var server: ServerOptions
    @OptionGroup var stateOptions: StateOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func validate() throws {
        guard [1, 2].contains(signatureVersion) else { throw ValidationError("--signature-version is 1 or 2.") }
        guard !hashOnlyOptions.hashOnly || (signatureVersion == 2 && binding == .v2 && !noAssertion) else {
            throw ValidationError("--hash-only has a binding of its own and signature version 2.")
        }
    }

    func run() async throws {
        let client = try server.client()
        let photoURL = URL(fileURLWithPath: files.photo)
        let facts = try PhotoFacts(url: photoURL)
        let depthFile = try files.depthFile()
        let time = capturedAt?.date ?? facts.capturedAt ?? Date()
        let session = try await session(client, model: model ?? facts.model)
        let deviceModel = await session.model
        let stated = model ?? facts.model ?? deviceModel
        let accepted: AcceptedCapture
        if hashOnlyOptions.hashOnly {
            accepted = try await HashOnlySend(client: client, session: session).send(
                photo: photoURL, depth: depthFile,
                facts: HashOnlyPayload.Facts(
                    capturedAt: time, location: files.location?.location, deviceModel: stated, appVersion: Product.version),
                sharing: hashOnlyOptions.flags)
        } else {
            let draft = CaptureDraft(
                photo: try .file(at: photoURL), depthMap: try depthFile.content(), depthWidth: files.width, depthHeight: files.height,
                capturedAt: time, location: files.location?.location)
            accepted = try await send(draft, model: stated, client, session)
        }
        try await shown.show(accepted, client)
    }

    private func send(
        _ draft: CaptureDraft, model: String, _ client: APIClient, _ session: DeviceSession
    ) async throws -> AcceptedCapture {
        guard binding == .v2, !noAssertion, signatureVersion == 2 else {
            let upload = try await draft.upload(model: model, binding: noAssertion ? .none : binding, session: session)
            return try await client.send(upload, signer: session)
        }
        let queued = QueuedSend(client: client, server: try server.address(), session: session)
        return try await queued.send(try await draft.content(model: model))
    }

    /// The device in the state file; if there is none, one is registered.
    private func session(_ client: APIClient, model: String?) async throws -> DeviceSession {
        let file = try stateOptions.file()
        if try file.load() == nil {
            let state = try await enrolmentOptions.enrolment(client).run(model: model ?? Enrolment.defaultModel)
            try file.save(state)
            Console.progress("registered device \(state.deviceID) (\(state.attestationLevel.rawValue)) in \(file.url.path)")
        }
        return try DeviceSession(file: file, signatureVersion: signatureVersion)
    }
}
