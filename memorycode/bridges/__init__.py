"""Our model, embedder and retriever in the shapes of LangChain and LlamaIndex, and theirs in ours.

Each module here imports its library, so it is itself imported where a plug-in is built, after
`memorycode.extras` has said whether the library is there.
"""
