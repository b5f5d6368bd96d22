/// What a folder of sealed files holds, in no order.
public struct SealedFolderContents: Sendable, Equatable {
    /// Complete files.
    public internal(set) var items: [SealedItem] = []
    /// Names of files that are being written, or whose writing was interrupted.
    public internal(set) var temporaryNames: [String] = []
    /// Names of files and folders that are none of the above.
    public internal(set) var foreignNames: [String] = []
}
