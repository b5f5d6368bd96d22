import CTurboJPEG

extension ImagingError {
    /// What libjpeg-turbo says of its last call, which failed.
    /// - Parameter code: unless memory ran out.
    init(of handle: tjhandle, otherwise code: Code) {
        let message = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "without a reason"
        self.init(Self.isOutOfMemory(message) ? .outOfMemory : code, message)
    }

    /// Told by the words of libjpeg (JERR_OUT_OF_MEMORY) and of TurboJPEG, which has no code for it.
    static func isOutOfMemory(_ message: String) -> Bool {
        ["Insufficient memory", "Memory allocation failure"].contains { message.contains($0) }
    }
}
